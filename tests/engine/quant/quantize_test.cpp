#include "engine/quant/quantize.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "engine/quant/dequantize.hpp"
#include "lore/error.hpp"

namespace lore::engine {
namespace {

std::vector<float> round_trip(DType type, const std::vector<float>& x) {
  std::vector<std::byte> bytes(row_bytes(type, x.size()));
  quantize_row(type, x.data(), x.size(), bytes.data());
  std::vector<float> out(x.size());
  dequantize_row(type, bytes.data(), out.size(), out.data());
  return out;
}

// Largest error of a block, as a part of its largest magnitude: half a step of the codes, which
// span -1 … 1 in `levels` steps, and one more step at the end that Q4_0 and Q5_0 clip; plus the
// rounding of the scale to binary16, 2^-11 of the value.
TEST(Quantize, RoundTripStaysWithinHalfAStep) {
  const struct {
    DType type;
    double bound;
  } cases[] = {{DType::q8_0, 0.5 / 127},
               {DType::q4_0, 1.0 / 8},
               {DType::q5_0, 1.0 / 16},
               {DType::q4_1, 1.0 / 15},
               {DType::q5_1, 1.0 / 31}};
  std::mt19937 random(3);
  std::normal_distribution<float> normal;
  for (int repeat = 0; repeat < 50; ++repeat) {
    std::vector<float> x(32);
    for (float& value : x) value = normal(random);
    float largest = 0;
    for (const float value : x) largest = std::max(largest, std::fabs(value));
    for (const auto& c : cases) {
      const std::vector<float> out = round_trip(c.type, x);
      for (std::size_t i = 0; i < x.size(); ++i) {
        EXPECT_LE(std::fabs(out[i] - x[i]), (c.bound + 0x1p-10) * double{largest});
      }
    }
  }
}

TEST(Quantize, ZerosStayZeros) {
  for (const DType type :
       {DType::f16, DType::bf16, DType::q8_0, DType::q4_0, DType::q4_1, DType::q5_0, DType::q5_1}) {
    for (const float value : round_trip(type, std::vector<float>(64))) EXPECT_EQ(value, 0.0F);
  }
}

// Nothing to promise about the values, but no undefined conversion: the sanitizers watch.
TEST(Quantize, ValuesThatAreNotFiniteDoNotCrash) {
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
        -std::numeric_limits<float>::infinity()}) {
    std::vector<float> x(32, 1.0F);
    x[7] = bad;
    for (const DType type :
         {DType::q8_0, DType::q4_0, DType::q4_1, DType::q5_0, DType::q5_1, DType::f16}) {
      EXPECT_EQ(round_trip(type, x).size(), x.size());
    }
  }
}

TEST(Quantize, TypesItCannotWriteAreRefusedByName) {
  std::vector<std::byte> out(1000);
  const std::vector<float> x(256);
  try {
    quantize_row(DType::q4_k, x.data(), x.size(), out.data());
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unsupported);
    EXPECT_NE(std::string(error.what()).find("Q4_K"), std::string::npos);
  }
}

}  // namespace
}  // namespace lore::engine
