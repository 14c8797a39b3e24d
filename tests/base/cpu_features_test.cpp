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
  EXPECT_THROW(choose_level(avx2, "avxvnni"), Error);
}

TEST(CpuFeatures, ALevelIsForcedThoughAWiderOneIsThere) {
  CpuFeatures features;
  features.avx2 = features.avx_vnni = true;
  EXPECT_EQ(choose_level(features, "auto"), Level::avxvnni);
  EXPECT_EQ(choose_level(features, "avx2"), Level::avx2);
  features.avx512 = true;
  EXPECT_EQ(choose_level(features, "auto"), Level::avx512);
  EXPECT_EQ(choose_level(features, "avxvnni"), Level::avxvnni);
}

TEST(CpuFeatures, NamesOfLaterVersionsAreToldAsSuch) {
  for (const char* name : {"sse41", "neon"}) {
    try {
      choose_level({}, name);
      FAIL() << name;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::unsupported);
      EXPECT_NE(std::string(error.what()).find("auto, scalar, avx2, avxvnni, avx512, amx"),
                std::string::npos);
    }
  }
}

}  // namespace
}  // namespace lore::simd
