// Blocks packed by hand from the format's description, and their exact values.
#include "engine/quant/dequantize.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "engine/quant/blocks.hpp"
#include "engine/quant/half.hpp"

namespace lore::engine {
namespace {

template <typename Block>
std::vector<float> dequantize(DType type, const Block& block) {
  // One byte off any alignment, as rows in a mapped file may be.
  std::vector<std::byte> bytes(sizeof(block) + 1);
  std::memcpy(bytes.data() + 1, &block, sizeof(block));
  std::vector<float> out(block_shape(type).values);
  dequantize_row(type, bytes.data() + 1, out.size(), out.data());
  return out;
}

constexpr std::uint16_t kHalf = 0x3800;     // 0.5
constexpr std::uint16_t kQuarter = 0x3400;  // 0.25

TEST(Dequantize, Q4_0HoldsLowHalvesFirstAroundEight) {
  BlockQ4_0 block{kHalf, {}};
  block.codes[0] = 0x0F;  // value 0: 15, value 16: 0
  block.codes[15] = 0x91;
  const auto out = dequantize(DType::q4_0, block);
  EXPECT_EQ(out[0], 3.5F);
  EXPECT_EQ(out[16], -4.0F);
  EXPECT_EQ(out[15], -3.5F);
  EXPECT_EQ(out[31], 0.5F);
}

TEST(Dequantize, Q4_1AddsTheMinimum) {
  BlockQ4_1 block{kHalf, kQuarter, {}};
  block.codes[3] = 0x72;
  const auto out = dequantize(DType::q4_1, block);
  EXPECT_EQ(out[3], 1.25F);
  EXPECT_EQ(out[19], 3.75F);
  EXPECT_EQ(out[0], 0.25F);
}

TEST(Dequantize, Q5TakesItsFifthBitFromTheWord) {
  BlockQ5_0 symmetric{kHalf, {0, 0, 0, 0x80}, {}};
  symmetric.codes[15] = 0x3A;
  const auto out = dequantize(DType::q5_0, symmetric);
  EXPECT_EQ(out[15], -3.0F);  // 10 - 16
  EXPECT_EQ(out[31], 1.5F);   // 16 + 3 - 16
  BlockQ5_1 ranged{kHalf, kQuarter, {0x02, 0, 0, 0}, {}};
  ranged.codes[1] = 0x01;
  EXPECT_EQ(dequantize(DType::q5_1, ranged)[1], 8.75F);
  EXPECT_EQ(dequantize(DType::q5_1, ranged)[17], 0.25F);
}

TEST(Dequantize, Q8_0IsSigned) {
  BlockQ8_0 block{kHalf, {}};
  block.codes[0] = -128;
  block.codes[31] = 127;
  const auto out = dequantize(DType::q8_0, block);
  EXPECT_EQ(out[0], -64.0F);
  EXPECT_EQ(out[31], 63.5F);
}

TEST(Dequantize, Q2_K) {
  BlockQ2_K block{};
  block.d = kHalf;
  block.dmin = kQuarter;
  block.scales[9] = 0x23;  // values 144 … 159: scale 3, minimum 2
  block.codes[32 + 16 + 5] = 0x02;
  // Value 128 + 16 + 5: n 1, j 0, i 21.
  const auto out = dequantize(DType::q2_k, block);
  EXPECT_EQ(out[149], 0.5F * 3 * 2 - 0.25F * 2);
  EXPECT_EQ(out[148], -0.5F);
}

TEST(Dequantize, Q3_K) {
  BlockQ3_K block{};
  block.d = kHalf;
  block.scales[1] = 0x50;  // scale 9: low four bits 5
  block.scales[9] = 0x20;  // and upper two bits 2 (bit 4): 37 - 32 = 5
  block.high[16] = 0x10;   // value 32 * 4 + 16
  block.codes[32 + 16] = 0x03;
  const auto out = dequantize(DType::q3_k, block);
  EXPECT_EQ(out[144], 0.5F * 5 * 3);   // 3 + 4 - 4
  EXPECT_EQ(out[145], 0.5F * 5 * -4);  // 0 - 4
  EXPECT_EQ(out[0], 0.5F * -32 * -4);
}

TEST(Dequantize, Q4_KAndQ5_K) {
  BlockQ4_K block{kHalf, kQuarter, {}, {}};
  block.scales[0] = 0xC2;  // scale 0 is 2; top bits belong to scale 4
  block.scales[4] = 0x43;  // minimum 0 is 3; top bits belong to minimum 4
  block.scales[8] = 0x51;  // scale 4 is 1 + 48, minimum 4 is 5 + 16
  block.codes[0] = 0xA7;
  block.codes[64] = 0x09;  // value 128, sub-block 4
  auto out = dequantize(DType::q4_k, block);
  EXPECT_EQ(out[0], 0.5F * 2 * 7 - 0.25F * 3);
  EXPECT_EQ(out[32], 0.0F);  // scale 1 is 0
  EXPECT_EQ(out[128], 0.5F * 49 * 9 - 0.25F * 21);
  BlockQ5_K five{kHalf, kQuarter, {}, {}, {}};
  std::memcpy(five.scales, block.scales, sizeof(five.scales));
  std::memcpy(five.codes, block.codes, sizeof(five.codes));
  five.high[0] = 0x10;
  out = dequantize(DType::q5_k, five);
  EXPECT_EQ(out[0], 0.5F * 2 * 7 - 0.25F * 3);
  EXPECT_EQ(out[128], 0.5F * 49 * 25 - 0.25F * 21);
}

TEST(Dequantize, Q6_K) {
  BlockQ6_K block{};
  block.d = kHalf;
  block.scales[14] = -2;          // values 224 … 239
  block.low[64 + 32 + 1] = 0xB0;  // n 1, j 3, i 1: high half 11
  block.high[32 + 1] = 0xC0;      // upper bits 3: code 59
  const auto out = dequantize(DType::q6_k, block);
  EXPECT_EQ(out[225], 0.5F * -2 * (59 - 32));
  EXPECT_EQ(out[224], 0.5F * -2 * -32);
}

}  // namespace
}  // namespace lore::engine
