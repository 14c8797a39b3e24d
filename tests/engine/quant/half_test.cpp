#include "engine/quant/half.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace lore::engine {
namespace {

TEST(Half, EveryHalfComesBackUnchanged) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const float value = f16_to_f32(half);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(f16_to_f32(f32_to_f16(value))));
    } else {
      ASSERT_EQ(f32_to_f16(value), half);
    }
  }
}

TEST(Half, KnownValues) {
  EXPECT_EQ(f16_to_f32(0x3C00), 1.0F);
  EXPECT_EQ(f16_to_f32(0xC000), -2.0F);
  EXPECT_EQ(f16_to_f32(0x7BFF), 65504.0F);
  EXPECT_EQ(f16_to_f32(0x0001), 0x1p-24F);
  EXPECT_EQ(f16_to_f32(0x0400), 0x1p-14F);
  EXPECT_EQ(f16_to_f32(0x7C00), std::numeric_limits<float>::infinity());
}

// Between every two neighbours: below, at and above the middle.
TEST(Half, RoundsToNearestAndTiesToEven) {
  for (std::uint32_t bits = 0; bits < 0x7BFF; ++bits) {
    const auto low = static_cast<std::uint16_t>(bits);
    const auto high = static_cast<std::uint16_t>(bits + 1);
    const float middle = (f16_to_f32(low) + f16_to_f32(high)) / 2;  // exact in binary32
    ASSERT_EQ(f32_to_f16(std::nextafter(middle, 0.0F)), low);
    ASSERT_EQ(f32_to_f16(middle), bits % 2 == 0 ? low : high);
    ASSERT_EQ(f32_to_f16(std::nextafter(middle, 1e9F)), high);
    ASSERT_EQ(f32_to_f16(-middle), (bits % 2 == 0 ? low : high) | 0x8000);
  }
  EXPECT_EQ(f32_to_f16(65519.99F), 0x7BFF);
  EXPECT_EQ(f32_to_f16(65520.0F), 0x7C00);
  EXPECT_EQ(f32_to_f16(1e-9F), 0);
}

TEST(Bfloat16, RoundsToNearestAndTiesToEven) {
  EXPECT_EQ(f32_to_bf16(1.0F), 0x3F80);
  EXPECT_EQ(f32_to_bf16(1.00390625F), 0x3F80);  // a tie, down to even
  EXPECT_EQ(f32_to_bf16(1.01171875F), 0x3F82);  // a tie, up to even
  EXPECT_EQ(f32_to_bf16(std::nextafter(1.00390625F, 2.0F)), 0x3F81);
  EXPECT_EQ(f32_to_bf16(std::numeric_limits<float>::max()), 0x7F80);
  EXPECT_TRUE(std::isnan(bf16_to_f32(f32_to_bf16(std::numeric_limits<float>::quiet_NaN()))));
  for (std::uint32_t bits = 0; bits < 0x7F80; ++bits) {
    ASSERT_EQ(f32_to_bf16(bf16_to_f32(static_cast<std::uint16_t>(bits))), bits);
  }
}

}  // namespace
}  // namespace lore::engine
