// Blocks of attention of every table, merged, against softmax in double.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <tuple>

#include "engine/quant/dequantize.hpp"
#include "tests/engine/kernels/kernel_cases.hpp"

namespace lore::engine::cpu {
namespace {

/// Keys and values of one head as a cache stores them, and exactly what is stored.
struct Stored {
  Stored(const KernelTable& table, CacheFormat format_, std::size_t count, std::size_t dim,
         unsigned seed)
      : format(format_) {
    const std::vector<float> x = random_floats(count * dim, seed);
    const DType type = format == CacheFormat::f32   ? DType::f32
                       : format == CacheFormat::f16 ? DType::f16
                                                    : DType::q8_0;
    stride = row_bytes(type, dim);
    // A cache interleaves heads: rows are further apart than they are long.
    if (format != CacheFormat::q8_0) stride += 16;
    bytes.resize(count * stride);
    values.resize(count * dim);
    for (std::size_t i = 0; i < count; ++i) {
      std::byte* row = bytes.data() + i * stride;
      const float* from = x.data() + i * dim;
      if (format == CacheFormat::f32) std::memcpy(row, from, dim * 4);
      if (format == CacheFormat::f16) {
        table.f32_to_f16(from, dim, reinterpret_cast<std::uint16_t*>(row));
      }
      if (format == CacheFormat::q8_0) table.f32_to_q8_0(from, dim, row);
      dequantize_row(type, row, dim, values.data() + i * dim);
    }
  }

  CacheFormat format;
  std::size_t stride;
  std::vector<std::byte> bytes;
  std::vector<float> values;  // [count, dim]
};

struct Attention {
  std::vector<float> queries;  // [rows, dim]
  std::size_t rows;
  std::size_t dim;
  std::vector<std::int32_t> begin;  // [rows], over all keys
  std::vector<std::int32_t> end;
  float softcap = 0;
};

struct State {
  std::vector<float> accumulator;
  std::vector<float> maximum;
  std::vector<float> sum;
};

State attend(const KernelTable& table, const Attention& a, const Stored& keys, const Stored& values,
             std::size_t count) {
  State state{std::vector<float>(a.rows * a.dim),
              std::vector<float>(a.rows, -std::numeric_limits<float>::infinity()),
              std::vector<float>(a.rows)};
  // Filled with NaN: what a kernel reads from it without writing it first would show.
  std::vector<float> scratch(table.attention_scratch_floats(a.dim), std::nanf(""));
  for (std::size_t first = 0; first < count; first += kKeyBlock) {
    const std::size_t in_block = std::min(kKeyBlock, count - first);
    std::vector<std::int32_t> begin(a.rows);
    std::vector<std::int32_t> end(a.rows);
    for (std::size_t r = 0; r < a.rows; ++r) {
      const auto at = static_cast<std::int32_t>(first);
      const auto most = static_cast<std::int32_t>(in_block);
      begin[r] = std::clamp(a.begin[r] - at, 0, most);
      end[r] = std::clamp(a.end[r] - at, 0, most);
    }
    AttentionBlock b;
    b.queries = a.queries.data();
    b.query_stride = a.dim;
    b.rows = a.rows;
    b.keys = keys.bytes.data() + first * keys.stride;
    b.key_stride = keys.stride;
    b.values = values.bytes.data() + first * values.stride;
    b.value_stride = values.stride;
    b.key_count = in_block;
    b.head_dim = a.dim;
    b.format = keys.format;
    b.visible_begin = begin.data();
    b.visible_end = end.data();
    b.accumulator = state.accumulator.data();
    b.maximum = state.maximum.data();
    b.sum = state.sum.data();
    b.softcap = a.softcap;
    b.scratch = scratch.data();
    table.attention_block(b);
  }
  return state;
}

std::vector<double> exact_attention(const Attention& a, const Stored& keys, const Stored& values,
                                    std::size_t row) {
  const auto begin = static_cast<std::size_t>(a.begin[row]);
  const auto end = static_cast<std::size_t>(a.end[row]);
  std::vector<double> scores;
  double most = -1e300;
  for (std::size_t key = begin; key < end; ++key) {
    double score = 0;
    for (std::size_t d = 0; d < a.dim; ++d) {
      score += double{a.queries[row * a.dim + d]} * double{keys.values[key * a.dim + d]};
    }
    if (a.softcap > 0) score = double{a.softcap} * std::tanh(score / double{a.softcap});
    scores.push_back(score);
    most = std::max(most, score);
  }
  double sum = 0;
  std::vector<double> out(a.dim);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const double p = std::exp(scores[i] - most);
    sum += p;
    for (std::size_t d = 0; d < a.dim; ++d) out[d] += p * values.values[(begin + i) * a.dim + d];
  }
  for (double& value : out) value /= sum;
  return out;
}

Attention causal(std::size_t rows, std::size_t dim, std::size_t keys, std::size_t window,
                 unsigned seed) {
  Attention a{random_floats(rows * dim, seed), rows, dim, {}, {}};
  for (float& value : a.queries) value /= std::sqrt(static_cast<float>(dim));
  for (std::size_t r = 0; r < rows; ++r) {
    const std::size_t end = std::min(keys, keys - std::min(keys - 1, rows) + r + 1);
    a.end.push_back(static_cast<std::int32_t>(end));
    a.begin.push_back(static_cast<std::int32_t>(end > window ? end - window : 0));
  }
  return a;
}

class AttentionTest : public ::testing::TestWithParam<std::tuple<const KernelTable*, CacheFormat>> {
 protected:
  const KernelTable& table() const { return *std::get<0>(GetParam()); }
  CacheFormat format() const { return std::get<1>(GetParam()); }
};

std::string case_name(const ::testing::TestParamInfo<AttentionTest::ParamType>& tested) {
  const std::string names[] = {"_f32", "_f16", "_q8_0"};
  return table_name(*std::get<0>(tested.param)) +
         names[static_cast<std::size_t>(std::get<1>(tested.param))];
}

INSTANTIATE_TEST_SUITE_P(Tables, AttentionTest,
                         ::testing::Combine(::testing::ValuesIn(runnable_tables()),
                                            ::testing::Values(CacheFormat::f32, CacheFormat::f16,
                                                              CacheFormat::q8_0)),
                         case_name);

TEST_P(AttentionTest, EqualsSoftmaxInDouble) {
  for (const std::size_t dim : {32U, 64U, 80U, 128U, 256U}) {
    if (format() == CacheFormat::q8_0 && dim % 32 != 0) continue;
    for (const std::size_t count : {1U, 15U, 64U, 65U, 150U}) {
      const Stored keys(table(), format(), count, dim, 1);
      const Stored values(table(), format(), count, dim, 2);
      for (const float softcap : {0.0F, 5.0F}) {
        Attention a = causal(9, dim, count, 70, 3);
        a.softcap = softcap;
        const State state = attend(table(), a, keys, values, count);
        for (std::size_t r = 0; r < a.rows; ++r) {
          const std::vector<double> right = exact_attention(a, keys, values, r);
          for (std::size_t d = 0; d < dim; ++d) {
            // Scores of magnitude up to about 60 are off by some 1e-5, and so are probabilities.
            ASSERT_NEAR(state.accumulator[r * dim + d] / state.sum[r], right[d], 4e-4)
                << "dim " << dim << " keys " << count << " row " << r;
          }
        }
      }
    }
  }
}

TEST_P(AttentionTest, ARowDoesNotDependOnTheOthers) {
  const std::size_t dim = 64;
  const std::size_t count = 130;
  const Stored keys(table(), format(), count, dim, 4);
  const Stored values(table(), format(), count, dim, 5);
  const Attention all = causal(23, dim, count, 100, 6);
  const State together = attend(table(), all, keys, values, count);
  for (const std::size_t rows : {1U, 2U, 5U, 6U, 7U}) {
    for (std::size_t first = 0; first + rows <= all.rows; first += 3) {
      const auto cut = [&](const auto& from, std::size_t each) {
        const auto begin = from.begin() + static_cast<std::ptrdiff_t>(first * each);
        return std::vector(begin, begin + static_cast<std::ptrdiff_t>(rows * each));
      };
      const Attention some{cut(all.queries, dim), rows, dim, cut(all.begin, 1), cut(all.end, 1)};
      const State state = attend(table(), some, keys, values, count);
      ASSERT_EQ(0, std::memcmp(state.accumulator.data(), &together.accumulator[first * dim],
                               rows * dim * sizeof(float)));
      ASSERT_EQ(0, std::memcmp(state.sum.data(), &together.sum[first], rows * sizeof(float)));
    }
  }
}

// A query that sees nothing of a block leaves it as it was, though others share the call.
TEST_P(AttentionTest, RowsThatSeeNothingAreLeftAlone) {
  const std::size_t dim = 32;
  const Stored keys(table(), format(), 40, dim, 7);
  const Stored values(table(), format(), 40, dim, 8);
  Attention a = causal(5, dim, 40, 40, 9);
  a.begin[2] = a.end[2] = 10;
  const State state = attend(table(), a, keys, values, 40);
  EXPECT_EQ(state.sum[2], 0.0F);
  EXPECT_TRUE(std::isinf(state.maximum[2]));
  for (std::size_t d = 0; d < dim; ++d) EXPECT_EQ(state.accumulator[2 * dim + d], 0.0F);
  EXPECT_GT(state.sum[1], 0.0F);
}

}  // namespace
}  // namespace lore::engine::cpu
