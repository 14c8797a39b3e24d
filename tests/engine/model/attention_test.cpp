// The attention driver against the plain formula in double precision, mask by mask.
#include "engine/backend/cpu/attention.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "base/simd/cpu_features.hpp"
#include "engine/backend/cpu/kernels/select.hpp"

namespace lore::engine::cpu {
namespace {

constexpr std::size_t kHeadDim = 32;

std::vector<float> random_floats(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<float> values(n);
  for (float& x : values) x = static_cast<float>(random() >> 8) / 0x1p23F - 1;
  return values;
}

struct Case {
  std::size_t length;
  std::size_t window;
  bool causal;
  float softcap;
};

/// Softmax over the visible keys, then the weighted sum of their values.
std::vector<double> plain(const Case& c, std::size_t position, const float* query,
                          const std::vector<float>& keys, const std::vector<float>& values) {
  std::vector<double> scores(c.length, -1e300);
  double most = -1e300;
  for (std::size_t key = 0; key < c.length; ++key) {
    if (c.causal && key > position) continue;
    if (c.window != 0 && key + c.window <= position) continue;
    double score = 0;
    for (std::size_t i = 0; i < kHeadDim; ++i) {
      score += static_cast<double>(query[i]) * static_cast<double>(keys[key * kHeadDim + i]);
    }
    if (c.softcap > 0) score = c.softcap * std::tanh(score / static_cast<double>(c.softcap));
    scores[key] = score;
    most = std::max(most, score);
  }
  std::vector<double> result(kHeadDim);
  double total = 0;
  for (std::size_t key = 0; key < c.length; ++key) {
    const double weight = std::exp(scores[key] - most);
    total += weight;
    for (std::size_t i = 0; i < kHeadDim; ++i) {
      result[i] += weight * static_cast<double>(values[key * kHeadDim + i]);
    }
  }
  for (double& x : result) x /= total;
  return result;
}

class AttentionTest : public testing::TestWithParam<simd::Level> {
 protected:
  const KernelTable& kernels() const {
    return select_kernels(simd::detect_cpu_features(), simd::level_name(GetParam()));
  }

  static graph::AttentionStep step(const Case& c) {
    graph::AttentionStep step;
    step.heads = step.kv_heads = 1;
    step.head_dim = kHeadDim;
    step.window = c.window;
    step.causal = c.causal;
    step.softcap = c.softcap;
    return step;
  }

  /// Queries [first, first + rows) of a sequence.
  std::vector<float> run(const Case& c, const std::vector<float>& queries,
                         const std::vector<float>& keys, const std::vector<float>& values,
                         std::size_t first, std::size_t rows) const {
    const graph::AttentionStep step = this->step(c);
    std::vector<float> scratch(kernels().attention_scratch_floats(kHeadDim));
    std::vector<std::int32_t> visible(2 * kQueryBlock);
    std::vector<float> memory(2 * Sums::floats(kQueryBlock, kHeadDim));
    Sums sums(memory.data(), kQueryBlock, kHeadDim);
    Sums spare(memory.data() + Sums::floats(kQueryBlock, kHeadDim), kQueryBlock, kHeadDim);
    HeadKeys head;
    head.keys = reinterpret_cast<const std::byte*>(keys.data());
    head.values = reinterpret_cast<const std::byte*>(values.data());
    head.stride = kHeadDim * sizeof(float);
    head.count = c.length;
    Queries block;
    block.data = queries.data() + first * kHeadDim;
    block.stride = kHeadDim;
    block.rows = rows;
    block.first_position = first;
    const Attention attention(kernels(), step, scratch.data(), visible.data());
    attention.attend(head, block, sums, spare);
    attention.finish(sums, rows);
    return {sums.accumulator, sums.accumulator + rows * kHeadDim};
  }
};

TEST_P(AttentionTest, EqualsThePlainFormula) {
  for (const Case& c :
       {Case{1, 0, true, 0}, Case{65, 0, true, 0}, Case{1100, 0, true, 0}, Case{1100, 0, false, 0},
        Case{130, 1, true, 0}, Case{1100, 63, true, 0}, Case{1100, 64, true, 5},
        Case{1100, 511, true, 0}, Case{1100, 512, true, 0}, Case{1100, 513, true, 0}}) {
    const auto queries = random_floats(c.length * kHeadDim, 1);
    const auto keys = random_floats(c.length * kHeadDim, 2);
    auto values = random_floats(c.length * kHeadDim, 3);
    for (std::size_t first = 0; first < c.length; first += kQueryBlock) {
      const std::size_t rows = std::min(kQueryBlock, c.length - first);
      const auto result = run(c, queries, keys, values, first, rows);
      for (std::size_t row = 0; row < rows; ++row) {
        const auto expected =
            plain(c, first + row, queries.data() + (first + row) * kHeadDim, keys, values);
        for (std::size_t i = 0; i < kHeadDim; ++i) {
          ASSERT_NEAR(result[row * kHeadDim + i], expected[i], 2e-5)
              << "length " << c.length << " window " << c.window << " query " << first + row;
        }
      }
    }
  }
}

TEST_P(AttentionTest, AHiddenKeyHasNoShareAtAll) {
  // A value so large that a share of 1e-12 would show.
  for (const std::size_t window : {1UL, 64UL, 512UL}) {
    const Case c{700, window, true, 0};
    const auto queries = random_floats(c.length * kHeadDim, 1);
    const auto keys = random_floats(c.length * kHeadDim, 2);
    const auto clean = random_floats(c.length * kHeadDim, 3);
    const std::size_t position = 650;
    for (const std::size_t hidden : {position + 1, position - window}) {
      auto values = clean;
      for (std::size_t i = 0; i < kHeadDim; ++i) values[hidden * kHeadDim + i] = 1e12F;
      EXPECT_EQ(run(c, queries, keys, values, position, 1),
                run(c, queries, keys, clean, position, 1));
    }
    auto values = clean;
    values[(position - window + 1) * kHeadDim] = 1e12F;
    EXPECT_NE(run(c, queries, keys, values, position, 1),
              run(c, queries, keys, clean, position, 1));
  }
}

TEST_P(AttentionTest, AQueryAloneIsTheSameBits) {
  for (const std::size_t window : {0UL, 100UL, 512UL}) {
    const Case c{1100, window, true, 0};
    const auto queries = random_floats(c.length * kHeadDim, 1);
    const auto keys = random_floats(c.length * kHeadDim, 2);
    const auto values = random_floats(c.length * kHeadDim, 3);
    const std::size_t first = 1011;
    const auto together = run(c, queries, keys, values, first, 60);
    for (std::size_t row = 0; row < 60; row += 7) {
      // As when the query was the last of its prompt: later keys are not there yet.
      Case shorter = c;
      shorter.length = first + row + 1;
      const auto alone = run(shorter, queries, keys, values, first + row, 1);
      EXPECT_TRUE(std::equal(alone.begin(), alone.end(),
                             together.begin() + static_cast<std::ptrdiff_t>(row * kHeadDim)))
          << "window " << window << " row " << row;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Tables, AttentionTest,
                         testing::ValuesIn(simd::available_levels(simd::detect_cpu_features())),
                         [](const auto& param_info) {
                           return std::string(simd::level_name(param_info.param));
                         });

}  // namespace
}  // namespace lore::engine::cpu
