#include "base/simd/cpu_features.hpp"

#include <gtest/gtest.h>

#include "lore/error.hpp"

namespace lore::simd {
namespace {

TEST(CpuFeatures, EachLevelImpliesTheOnesBelow) {
  const CpuFeatures features = detect_cpu_features();
  EXPECT_LE(features.has(Level::amx), features.has(Level::avx512));
  EXPECT_LE(features.has(Level::avx512), features.has(Level::avx2));
  EXPECT_TRUE(features.has(Level::scalar));
}

TEST(CpuFeatures, ForcingWhatIsMissingIsAnError) {
  const CpuFeatures none;
  EXPECT_EQ(choose_level(none, "auto"), Level::scalar);
  EXPECT_THROW(choose_level(none, "avx2"), Error);
  EXPECT_THROW(choose_level(none, "sse9"), Error);
  CpuFeatures avx2;
  avx2.avx2 = true;
  EXPECT_EQ(choose_level(avx2, "auto"), Level::avx2);
  EXPECT_EQ(choose_level(avx2, "scalar"), Level::scalar);
}

}  // namespace
}  // namespace lore::simd
