// Every vector table of this processor against the scalar one.
#include "base/simd/vector_ops.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace lore::simd {
namespace {

class VectorOps : public ::testing::TestWithParam<Level> {
 protected:
  const VectorTable& table() const { return vector_table(GetParam()); }
  const VectorTable& reference() const { return vector_table(Level::scalar); }
};

// Any order of summing n products in float32 differs from the exact sum by at most about
// n * epsilon * sum |a b| (Higham, Accuracy and Stability, 3.1); fused and blocked sums stay far
// below, the bound holds for all.
TEST_P(VectorOps, FloatProductsAgreeOverAllTailsAndOffsets) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  std::vector<float> a(300);
  std::vector<float> b(300);
  for (float& value : a) value = normal(random);
  for (float& value : b) value = normal(random);
  for (std::size_t dim = 0; dim <= 257; ++dim) {
    for (const std::size_t offset : {0U, 1U, 3U, 7U}) {
      double magnitude = 0;
      for (std::size_t i = 0; i < dim; ++i) magnitude += std::abs(double{a[i + offset]} * b[i]);
      const double bound = (static_cast<double>(dim) + 1) * 6e-8 * magnitude;
      EXPECT_NEAR(table().dot_f32(a.data() + offset, b.data(), dim),
                  reference().dot_f32(a.data() + offset, b.data(), dim), bound)
          << "dim " << dim << ", offset " << offset;
    }
  }
}

TEST_P(VectorOps, ScansGiveWhatDotGivesBitForBit) {
  std::mt19937 random(3);
  std::normal_distribution<float> normal;
  for (const std::size_t dim : {1U, 7U, 16U, 33U, 100U, 384U}) {
    for (const std::size_t count : {0U, 1U, 2U, 5U, 17U}) {
      std::vector<float> rows(count * dim);
      std::vector<float> query(dim);
      for (float& value : rows) value = normal(random);
      for (float& value : query) value = normal(random);
      std::vector<float> scores(count + 1, 42);
      table().scan_f32(rows.data(), count, dim, query.data(), scores.data());
      for (std::size_t r = 0; r < count; ++r) {
        EXPECT_EQ(scores[r], table().dot_f32(rows.data() + r * dim, query.data(), dim));
      }
      EXPECT_EQ(scores[count], 42);  // nothing is written past the end
    }
  }
}

INSTANTIATE_TEST_SUITE_P(EveryLevel, VectorOps,
                         ::testing::ValuesIn(available_levels(detect_cpu_features())),
                         [](const auto& level) { return std::string(level_name(level.param)); });

TEST(VectorTables, EveryLevelHasOneThatItCanRun) {
  EXPECT_EQ(vector_table(Level::scalar).level, Level::scalar);
#if defined(__x86_64__)
  EXPECT_EQ(vector_table(Level::sse41).level, Level::sse41);
  EXPECT_EQ(vector_table(Level::avx2).level, Level::avx2);
  EXPECT_EQ(vector_table(Level::avxvnni).level, Level::avx2);
  EXPECT_EQ(vector_table(Level::avx512).level, Level::avx512);
  EXPECT_EQ(vector_table(Level::amx).level, Level::avx512);
#elif defined(__aarch64__)
  EXPECT_EQ(vector_table(Level::neon).level, Level::neon);
#endif
  EXPECT_TRUE(detect_cpu_features().has(best_vector_table().level));
}

}  // namespace
}  // namespace lore::simd
