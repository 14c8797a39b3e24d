#include "base/simd/cpu_features.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "lore/error.hpp"

namespace lore::simd {
namespace {

TEST(CpuFeatures, EachLevelImpliesTheOnesBelow) {
  const CpuFeatures features = detect_cpu_features();
  EXPECT_LE(features.has(Level::amx), features.has(Level::avx512));
  EXPECT_LE(features.has(Level::avx512), features.has(Level::avx2));
  EXPECT_LE(features.has(Level::avx2), features.has(Level::sse41));
  EXPECT_TRUE(features.has(Level::scalar));
  EXPECT_FALSE(features.has(Level::neon) && features.has(Level::sse41));
}

TEST(CpuFeatures, ForcingWhatIsMissingIsAnError) {
  const CpuFeatures none;
  EXPECT_EQ(choose_level(none, "auto"), Level::scalar);
  EXPECT_THROW(choose_level(none, "avx2"), Error);
  EXPECT_THROW(choose_level(none, "sse41"), Error);
  EXPECT_THROW(choose_level(none, "neon"), Error);
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

TEST(CpuFeatures, WithoutAvx2TheOldInstructionsAreTaken) {
  CpuFeatures nehalem;
  nehalem.sse41 = true;
  EXPECT_EQ(choose_level(nehalem, "auto"), Level::sse41);
  EXPECT_THROW(choose_level(nehalem, "avx2"), Error);
  CpuFeatures arm;
  arm.neon = true;
  EXPECT_EQ(choose_level(arm, "auto"), Level::neon);
  EXPECT_THROW(choose_level(arm, "sse41"), Error);
}

TEST(CpuFeatures, ErrorsSayWhatThereIs) {
  const auto refusal = [](const char* name) {
    try {
      choose_level({}, name);
    } catch (const Error& error) {
      return std::pair(error.code(), std::string(error.what()));
    }
    return std::pair(ErrorCode::internal, std::string());
  };
  const auto [unknown, choices] = refusal("sse9");
  EXPECT_EQ(unknown, ErrorCode::invalid_argument);
  EXPECT_NE(choices.find("auto, scalar, sse41, avx2, avxvnni, avx512, amx, neon"),
            std::string::npos);
  for (const char* name : {"sse41", "avx2", "avxvnni", "avx512", "amx", "neon"}) {
    const auto [code, advice] = refusal(name);
    EXPECT_EQ(code, ErrorCode::unsupported) << name;
    EXPECT_NE(advice.find("scalar"), std::string::npos) << advice;
  }
}

}  // namespace
}  // namespace lore::simd
