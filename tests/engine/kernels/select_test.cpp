#include "engine/backend/cpu/kernels/select.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <string>

#include "engine/backend/cpu/kernels/pack.hpp"
#include "lore/error.hpp"
#include "tests/engine/kernels/kernel_cases.hpp"

namespace lore::engine::cpu {
namespace {

TEST(SelectKernels, GivesTheTableThatWasAskedFor) {
  const simd::CpuFeatures features = simd::detect_cpu_features();
  for (const simd::Level level : simd::available_levels(features)) {
    const std::string name(simd::level_name(level));
    EXPECT_EQ(select_kernels(features, name).name, name);
  }
  EXPECT_EQ(select_kernels(features, "auto").name, simd::level_name(features.best()));
}

TEST(SelectKernels, RefusesWhatTheProcessorLacksAndWhatDoesNotExist) {
  const simd::CpuFeatures none;
  EXPECT_STREQ(select_kernels(none, "auto").name, "scalar");
  EXPECT_THROW(select_kernels(none, "avx512"), Error);
  EXPECT_THROW(select_kernels(none, "sse9"), Error);
}

TEST(SelectKernels, EveryVariantIsTestedHere) {
  const simd::CpuFeatures features = simd::detect_cpu_features();
  std::set<std::string> names;
  for (const KernelTable* table : all_tables(features)) names.insert(table->name);
  for (const simd::Level level : simd::available_levels(features)) {
    EXPECT_EQ(names.count(std::string(simd::level_name(level))), 1U) << simd::level_name(level);
  }
#if defined(__x86_64__)
  // Beside the processor's own, AMX over its emulated tiles, which runs anywhere.
  EXPECT_GT(names.size(), simd::available_levels(features).size());
#endif
}

// The packed model may take a tenth more than the file at most.
TEST(Pack, TakesHardlyMoreThanTheFile) {
  for (const DType type : all_types()) {
    const std::size_t file = 160 * row_bytes(type, 1536);
    EXPECT_LE(packed_bytes(type, 160, 1536), file + file / 10) << dtype_name(type);
    EXPECT_EQ(packed_bytes(type, 160, 1536) % 64, 0U);
  }
}

TEST(Pack, PanelsCanBePackedApart) {
  for (const DType type : all_types()) {
    Weights whole(type, 40, 256, 3);
    AlignedBytes parts(packed_bytes(type, 40, 256));
    const PackedMatrix shape = packed_shape(type, 40, 256, parts.data());
    for (std::size_t p = shape.panels; p-- > 0;) {
      pack_panels(shape, whole.rows.data(), p, p + 1, parts.data());
    }
    EXPECT_EQ(0, std::memcmp(parts.data(), whole.packed.data, packed_bytes(type, 40, 256)))
        << dtype_name(type);
  }
}

}  // namespace
}  // namespace lore::engine::cpu
