// Products of every table with every weight type, against exact arithmetic and against each other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <tuple>

#include "tests/engine/kernels/kernel_cases.hpp"

namespace lore::engine::cpu {
namespace {

std::vector<std::size_t> lengths(DType type) {
  if (type == DType::f32 || type == DType::f16 || type == DType::bf16) {
    return {1, 3, 31, 32, 64, 384, 577, 1030};
  }
  if (block_shape(type).values == 256) return {256, 512, 768, 1536};
  return {32, 64, 96, 256, 384, 544, 576, 896, 1056};
}

class MatmulTest : public ::testing::TestWithParam<std::tuple<const KernelTable*, DType>> {
 protected:
  const KernelTable& table() const { return *std::get<0>(GetParam()); }
  DType type() const { return std::get<1>(GetParam()); }
};

std::string case_name(const ::testing::TestParamInfo<MatmulTest::ParamType>& info) {
  return table_name(*std::get<0>(info.param)) + "_" +
         std::string(dtype_name(std::get<1>(info.param)));
}

INSTANTIATE_TEST_SUITE_P(Tables, MatmulTest,
                         ::testing::Combine(::testing::ValuesIn(runnable_tables()),
                                            ::testing::ValuesIn(all_types())),
                         case_name);

/// The same for the types that have codes.
class QuantizedMatmulTest : public MatmulTest {};

std::vector<DType> quantized_types() {
  std::vector<DType> types;
  for (const DType type : all_types()) {
    if (is_quantized(type)) types.push_back(type);
  }
  return types;
}

INSTANTIATE_TEST_SUITE_P(Tables, QuantizedMatmulTest,
                         ::testing::Combine(::testing::ValuesIn(runnable_tables()),
                                            ::testing::ValuesIn(quantized_types())),
                         case_name);

constexpr Regime kRegimes[] = {Regime::many, Regime::few};
constexpr std::size_t kSpans[] = {1, 2, kMostSpan};

/// The product in double, and the sum of the magnitudes of its terms.
struct Exact {
  std::vector<double> product;
  std::vector<double> magnitude;
};

Exact exact_product(const Weights& weights, const std::vector<float>& values,
                    const std::vector<float>& x, std::size_t rows) {
  Exact out;
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t p = 0; p < weights.n; ++p) {
      double sum = 0;
      double magnitude = 0;
      for (std::size_t i = 0; i < weights.k; ++i) {
        const double term = double{values[p * weights.k + i]} * double{x[r * weights.k + i]};
        sum += term;
        magnitude += std::fabs(term);
      }
      out.product.push_back(sum);
      out.magnitude.push_back(magnitude);
    }
  }
  return out;
}

/// A chain of m float operations is off by at most m * 2^-24 of the sum of magnitudes (Higham,
/// first order). Float weights: one operation a value. Quantized: five a group of 32 or less, a
/// group's partial sums bounded by its magnitudes up to the offset or minimum that cancels inside
/// it, which the test's random codes keep below a factor of 16.
double tolerance(const Weights& weights, double magnitude) {
  const bool quantized = is_quantized(weights.type);
  const double steps = quantized ? 16.0 * 5.0 * (static_cast<double>(weights.k) / 32.0 + 2.0)
                                 : static_cast<double>(weights.k) + 4.0;
  return steps * std::ldexp(1.0, -24) * magnitude + 1e-30;
}

/// What quantized products add to that: while several scales of weights share one of the
/// activations, a partial sum is rounded to a unit of the integer products, or to a few (see
/// kernel_table.hpp). A unit is at most the largest weight times the activations' scale.
double unit_tolerance(const Weights& weights, const std::vector<float>& x) {
  if (!is_quantized(weights.type)) return 0;
  const auto most = [](const std::vector<float>& values) {
    double largest = 0;
    for (const float value : values) largest = std::max(largest, std::fabs(double{value}));
    return largest;
  };
  const double groups = static_cast<double>(weights.k) / 32.0;
  return 2.0 * std::sqrt(groups) * most(weights.values) / 2.0 * most(x) / 127.0;
}

TEST_P(MatmulTest, EqualsExactArithmeticWithinRounding) {
  const std::size_t rows = 9;
  const auto check = [&](const Weights& weights, std::size_t span) {
    const std::vector<float> x = random_floats(rows * weights.k, 7);
    const Prepared activations(table(), type(), x, rows, weights.k, span);
    std::vector<float> values = weights.values;
    if (activations.view.format == ActivationFormat::bf16) round_to_bf16(values);
    const Exact exact = exact_product(weights, values, activations.used, rows);
    const double units = unit_tolerance(weights, x);
    for (const Regime regime : kRegimes) {
      const std::vector<float> out = multiply(table(), regime, weights, activations, nullptr);
      for (std::size_t i = 0; i < out.size(); ++i) {
        ASSERT_NEAR(out[i], exact.product[i], tolerance(weights, exact.magnitude[i]) + units)
            << "k " << weights.k << " n " << weights.n << " span " << span << " element " << i;
      }
    }
  };
  for (const std::size_t k : lengths(type())) {
    for (const std::size_t n : {1U, 15U, 33U}) {
      const Weights weights(type(), n, k, static_cast<unsigned>(k + n));
      for (const std::size_t span : kSpans) check(weights, span);
    }
  }
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

TEST_P(MatmulTest, BothRegimesAgreeBitForBit) {
  for (const std::size_t k : lengths(type())) {
    const Weights weights(type(), 33, k, 3);
    const std::vector<float> bias = random_floats(33, 5);
    const Prepared activations(table(), type(), random_floats(5 * k, 11), 5, k);
    EXPECT_TRUE(same_bits(multiply(table(), Regime::many, weights, activations, bias.data()),
                          multiply(table(), Regime::few, weights, activations, bias.data())))
        << "k " << k;
  }
}

TEST_P(MatmulTest, ARowDoesNotDependOnTheOthers) {
  const std::size_t k = block_shape(type()).values == 256 ? 768 : 576;
  const std::size_t rows = 37;
  const Weights weights(type(), 48, k, 9);
  const std::vector<float> x = random_floats(rows * k, 13);
  const Prepared all(table(), type(), x, rows, k);
  for (const Regime regime : kRegimes) {
    const std::vector<float> together = multiply(table(), regime, weights, all, nullptr);
    for (const std::size_t count : {1U, 2U, 3U, 5U, 8U, 17U, 33U}) {
      for (const std::size_t first : {0U, 1U, 4U}) {
        const auto begin = x.begin() + static_cast<std::ptrdiff_t>(first * k);
        const std::vector<float> part(begin, begin + static_cast<std::ptrdiff_t>(count * k));
        const Prepared some(table(), type(), part, count, k);
        const std::vector<float> out = multiply(table(), regime, weights, some, nullptr);
        ASSERT_EQ(0, std::memcmp(out.data(), together.data() + first * weights.n,
                                 out.size() * sizeof(float)))
            << count << " rows from " << first;
      }
    }
  }
}

TEST_P(MatmulTest, SplitsOverRowsAndPanelsGiveTheSameBits) {
  const std::size_t k = block_shape(type()).values == 256 ? 512 : 384;
  const std::size_t rows = 21;
  const std::size_t n = 100;
  const Weights weights(type(), n, k, 21);
  const std::vector<float> bias = random_floats(n, 2);
  const Prepared activations(table(), type(), random_floats(rows * k, 17), rows, k);
  for (const Regime regime : kRegimes) {
    const std::vector<float> whole = multiply(table(), regime, weights, activations, bias.data());
    const std::size_t stride = n + 5;
    std::vector<float> out(rows * stride, -77.0F);
    AlignedBytes scratch(table().matmul_scratch_bytes(k));
    const std::size_t row_cuts[] = {0, 1, 8, 13, rows};
    const std::size_t panel_cuts[] = {0, 3, 4, weights.packed.panels};
    for (std::size_t i = 0; i + 1 < std::size(row_cuts); ++i) {
      for (std::size_t j = 0; j + 1 < std::size(panel_cuts); ++j) {
        MatmulTask task{
            &weights.packed, &activations.view, bias.data(),   out.data(),        stride,
            row_cuts[i],     row_cuts[i + 1],   panel_cuts[j], panel_cuts[j + 1], scratch.data()};
        (regime == Regime::many ? table().matmul_many : table().matmul_few)(task);
      }
    }
    for (std::size_t r = 0; r < rows; ++r) {
      ASSERT_EQ(0, std::memcmp(&out[r * stride], &whole[r * n], n * sizeof(float))) << "row " << r;
      for (std::size_t i = n; i < stride; ++i) {
        ASSERT_EQ(out[r * stride + i], -77.0F) << "wrote past column n";
      }
    }
  }
}

// Quantized products are the same sequence of correctly rounded operations in every table that
// fuses, and in every table that does not.
TEST_P(QuantizedMatmulTest, EqualsTheScalarTableBitForBit) {
  for (const std::size_t k : lengths(type())) {
    const Weights weights(type(), 40, k, 31);
    const std::vector<float> x = random_floats(6 * k, 19);
    const KernelTable& scalar = scalar_like(table());
    for (const std::size_t span : kSpans) {
      const Prepared here(table(), type(), x, 6, k, span);
      const Prepared there(scalar, type(), x, 6, k, span);
      const std::vector<float> expected = multiply(scalar, Regime::many, weights, there, nullptr);
      EXPECT_TRUE(same_bits(multiply(table(), Regime::many, weights, here, nullptr), expected))
          << "k " << k << " span " << span;
      if (span > 1) continue;  // `few` is given one scale for each group
      EXPECT_TRUE(same_bits(multiply(table(), Regime::few, weights, here, nullptr), expected))
          << "k " << k;
    }
  }
}

// Codes and activations at their extremes: sums that saturate anywhere would show.
TEST_P(QuantizedMatmulTest, ExtremeCodesDoNotSaturate) {
  const std::size_t k = 256;
  for (const int pattern : {0x00, 0x7F, 0x80, 0xFF}) {
    Weights weights(type(), 16, k, 1);
    fill_codes(weights, static_cast<std::uint8_t>(pattern));
    for (const float sign : {1.0F, -1.0F}) {
      const std::vector<float> x(2 * k, sign);
      const Prepared activations(table(), type(), x, 2, k);
      const Exact exact = exact_product(weights, weights.values, activations.used, 2);
      const double units = unit_tolerance(weights, x);
      for (const Regime regime : kRegimes) {
        const std::vector<float> out = multiply(table(), regime, weights, activations, nullptr);
        for (std::size_t i = 0; i < out.size(); ++i) {
          ASSERT_NEAR(out[i], exact.product[i], 1e-4 * exact.magnitude[i] + units + 1e-6)
              << pattern;
        }
      }
    }
  }
}

TEST_P(MatmulTest, AnActivationThatIsNotFiniteSpoilsItsOwnRowOnly) {
  const std::size_t k = 256;
  const Weights weights(type(), 20, k, 41);
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    std::vector<float> x = random_floats(3 * k, 23);
    x[k + 100] = bad;
    const Prepared activations(table(), type(), x, 3, k);
    for (const Regime regime : kRegimes) {
      const std::vector<float> out = multiply(table(), regime, weights, activations, nullptr);
      for (std::size_t p = 0; p < weights.n; ++p) {
        EXPECT_TRUE(std::isfinite(out[p]));
        EXPECT_FALSE(std::isfinite(out[weights.n + p]));
        EXPECT_TRUE(std::isfinite(out[2 * weights.n + p]));
      }
    }
  }
}

}  // namespace
}  // namespace lore::engine::cpu
