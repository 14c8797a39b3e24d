// Row operations of every table, against the same in double and against the scalar table.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

#include "engine/quant/dequantize.hpp"
#include "engine/quant/half.hpp"
#include "tests/engine/kernels/kernel_cases.hpp"

namespace lore::engine::cpu {
namespace {

constexpr std::size_t kLengths[] = {1, 3, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 257, 384, 640};

class RowsTest : public ::testing::TestWithParam<const KernelTable*> {
 protected:
  const KernelTable& table() const { return *GetParam(); }
};

INSTANTIATE_TEST_SUITE_P(Tables, RowsTest, ::testing::ValuesIn(runnable_tables()),
                         [](const ::testing::TestParamInfo<const KernelTable*>& tested) {
                           return table_name(*tested.param);
                         });

using RowFunction = void (*)(const float*, std::size_t, float*);

/// Checks a function of one value over a range, at every length and at an odd address; and in
/// place.
void check_map(RowFunction function, double (*exact)(double), double absolute, double relative) {
  for (const std::size_t n : kLengths) {
    AlignedBytes bytes(n * 4 + 4, 4);
    float* x = bytes.floats();
    for (std::size_t i = 0; i < n; ++i) {
      x[i] = -12.0F + 24.0F * static_cast<float>(i * 37 % n) / static_cast<float>(n);
    }
    std::vector<float> out(n + 1, -77.0F);
    function(x, n, out.data());
    EXPECT_EQ(out[n], -77.0F) << "wrote past the end";
    for (std::size_t i = 0; i < n; ++i) {
      const double right = exact(double{x[i]});
      ASSERT_NEAR(out[i], right, absolute + relative * std::fabs(right)) << "at " << x[i];
    }
    function(x, n, x);
    EXPECT_EQ(0, std::memcmp(x, out.data(), n * sizeof(float))) << "differs in place";
  }
}

double exact_gelu(double x) { return 0.5 * x * std::erfc(-x / std::sqrt(2.0)); }
double exact_gelu_tanh(double x) {
  return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}
double exact_silu(double x) { return x / (1 + std::exp(-x)); }

TEST_P(RowsTest, GeluIsExactToOneInTenMillion) {
  check_map(table().gelu_erf, exact_gelu, 1e-7, 2e-7);
}
TEST_P(RowsTest, GeluByTanh) { check_map(table().gelu_tanh, exact_gelu_tanh, 1.5e-6, 3e-7); }
TEST_P(RowsTest, Silu) { check_map(table().silu, exact_silu, 1e-7, 4e-7); }

TEST_P(RowsTest, ActivationsOfLargeValuesStayFinite) {
  const std::vector<float> x = {-1e30F, -200.0F, -90.0F, 90.0F, 200.0F, 1e30F, 0.0F, -0.0F};
  const double right[] = {0, 0, 0, 90, 200, 1e30, 0, 0};
  for (const RowFunction function : {table().gelu_erf, table().gelu_tanh, table().silu}) {
    std::vector<float> out(x.size());
    function(x.data(), x.size(), out.data());
    for (std::size_t i = 0; i < x.size(); ++i) {
      EXPECT_NEAR(out[i], right[i], 1e-6 * std::fabs(right[i]) + 1e-6) << x[i];
    }
  }
}

TEST_P(RowsTest, ProductsWithGates) {
  for (const std::size_t n : kLengths) {
    const std::vector<float> gate = random_floats(n, 1);
    const std::vector<float> up = random_floats(n, 2);
    std::vector<float> out(n);
    table().silu_multiply(gate.data(), up.data(), n, out.data());
    for (std::size_t i = 0; i < n; ++i) {
      const double right = exact_silu(gate[i]) * double{up[i]};
      ASSERT_NEAR(out[i], right, 1e-6 + 1e-6 * std::fabs(right));
    }
    table().gelu_tanh_multiply(gate.data(), up.data(), n, out.data());
    for (std::size_t i = 0; i < n; ++i) {
      const double right = exact_gelu_tanh(gate[i]) * double{up[i]};
      ASSERT_NEAR(out[i], right, 2e-6 * (1 + std::fabs(up[i])) + 1e-6 * std::fabs(right));
    }
  }
}

// Sums of n terms in 16 chains: n / 16 + 6 roundings at most, of the sum of magnitudes.
double sum_error(std::size_t n) { return (static_cast<double>(n) / 16 + 6) * 0x1p-24; }

TEST_P(RowsTest, NormalizationsAgreeWithDouble) {
  for (const std::size_t n : kLengths) {
    std::vector<float> x = random_floats(n, 5);
    for (float& value : x) value += 3.0F;  // a mean that must be removed
    const std::vector<float> weight = random_floats(n, 6);
    const std::vector<float> bias = random_floats(n, 7);
    double mean = 0;
    double squares = 0;
    for (const float value : x) mean += value;
    mean /= static_cast<double>(n);
    double variance = 0;
    double most = 0;
    for (const float value : x) {
      squares += double{value} * double{value};
      variance += (value - mean) * (value - mean);
      most = std::max(most, std::fabs(double{value}));
    }
    std::vector<float> out(n);
    table().rms_norm(x.data(), weight.data(), 1e-6F, n, out.data());
    const double rms = 1 / std::sqrt(squares / static_cast<double>(n) + 1e-6);
    for (std::size_t i = 0; i < n; ++i) {
      const double right = x[i] * rms * weight[i];
      ASSERT_NEAR(out[i], right, std::fabs(right) * (sum_error(n) + 6e-7) + 1e-9);
    }
    table().layer_norm(x.data(), weight.data(), bias.data(), 1e-5F, n, out.data());
    const double scale = 1 / std::sqrt(variance / static_cast<double>(n) + 1e-5);
    for (std::size_t i = 0; i < n; ++i) {
      const double right = (x[i] - mean) * scale * weight[i] + bias[i];
      // The mean's rounding is a part of the largest value and is scaled like the rest.
      const double error = most * scale * std::fabs(double{weight[i]}) * (sum_error(n) + 3e-7) +
                           std::fabs(right) * 1e-6 + 1e-6;
      ASSERT_NEAR(out[i], right, error) << "n " << n;
    }
  }
}

TEST_P(RowsTest, DotSumsAllLengths) {
  for (const std::size_t n : kLengths) {
    const std::vector<float> a = random_floats(n, 8);
    const std::vector<float> b = random_floats(n, 9);
    double right = 0;
    double magnitude = 0;
    for (std::size_t i = 0; i < n; ++i) {
      right += double{a[i]} * double{b[i]};
      magnitude += std::fabs(double{a[i]} * double{b[i]});
    }
    EXPECT_NEAR(table().dot(a.data(), b.data(), n), right, magnitude * sum_error(n) + 1e-12);
  }
}

TEST_P(RowsTest, SimpleArithmeticIsExact) {
  for (const std::size_t n : kLengths) {
    const std::vector<float> a = random_floats(n, 10);
    const std::vector<float> b = random_floats(n, 11);
    std::vector<float> sum(n);
    std::vector<float> product(n);
    std::vector<float> scaled(n);
    table().add(a.data(), b.data(), n, sum.data());
    table().multiply(a.data(), b.data(), n, product.data());
    table().scale(a.data(), 0.3F, n, scaled.data());
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_EQ(sum[i], a[i] + b[i]);
      ASSERT_EQ(product[i], a[i] * b[i]);
      ASSERT_EQ(scaled[i], a[i] * 0.3F);
    }
  }
}

TEST_P(RowsTest, ConversionsRoundAsTheReference) {
  for (const std::size_t n : kLengths) {
    std::vector<float> x = random_floats(n, 12);
    x[0] = 1e-6F;  // a subnormal half
    if (n > 8) x[7] = 1e6F;
    std::vector<std::uint16_t> half(n + 1, 0x1234);
    table().f32_to_f16(x.data(), n, half.data());
    EXPECT_EQ(half[n], 0x1234);
    std::vector<float> back(n);
    table().f16_to_f32(half.data(), n, back.data());
    std::vector<std::uint16_t> bf16((n + 31) / 32 * 32, 0xFFFF);
    table().convert_bf16(x.data(), n, bf16.data());
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_EQ(half[i], f32_to_f16(x[i]));
      ASSERT_EQ(back[i], f16_to_f32(half[i]));
      ASSERT_EQ(bf16[i], f32_to_bf16(x[i]));
    }
    for (std::size_t i = n; i < bf16.size(); ++i) ASSERT_EQ(bf16[i], 0) << "padding";
  }
}

TEST_P(RowsTest, EveryHalfConverts) {
  std::vector<std::uint16_t> halves(0x10000);
  for (std::size_t i = 0; i < halves.size(); ++i) halves[i] = static_cast<std::uint16_t>(i);
  std::vector<float> out(halves.size());
  table().f16_to_f32(halves.data(), halves.size(), out.data());
  for (std::size_t i = 0; i < halves.size(); ++i) {
    const float right = f16_to_f32(halves[i]);
    ASSERT_EQ(0, std::memcmp(&out[i], &right, sizeof(right))) << "half " << i;
  }
}

TEST_P(RowsTest, QuantizesToNearestWithOneScaleForThirtyTwo) {
  const std::size_t k = 128;
  std::vector<float> x = random_floats(k, 13);
  for (std::size_t i = 32; i < 64; ++i) x[i] = 0.0F;
  for (std::size_t i = 64; i < 96; ++i) x[i] = (static_cast<float>(i) - 64) * 0.5F;
  x[95] = 127.0F;  // codes are the values: halves are ties, to even
  std::vector<std::int8_t> codes(k);
  std::vector<float> scales(k / 32);
  std::vector<std::int32_t> sums(k / 16);
  table().quantize_q8(x.data(), k, 1, codes.data(), scales.data(), sums.data());
  EXPECT_EQ(scales[1], 0.0F);
  EXPECT_EQ(scales[2], 1.0F);
  for (std::size_t i = 64; i < 95; ++i) ASSERT_EQ(codes[i], std::nearbyint(x[i])) << x[i];
  for (std::size_t g = 0; g < k / 32; ++g) {
    for (std::size_t i = g * 32; i < g * 32 + 32; ++i) {
      ASSERT_LE(std::fabs(codes[i] * double{scales[g]} - double{x[i]}),
                0.5001 * double{scales[g]} + 1e-30);
    }
  }
  for (std::size_t h = 0; h < k / 16; ++h) {
    std::int32_t sum = 0;
    for (std::size_t i = h * 16; i < h * 16 + 16; ++i) sum += codes[i];
    ASSERT_EQ(sums[h], sum);
  }
  std::vector<std::int8_t> expected(k);
  std::vector<float> expected_scales(k / 32);
  scalar_table().quantize_q8(x.data(), k, 1, expected.data(), expected_scales.data(), sums.data());
  EXPECT_EQ(codes, expected);
  EXPECT_EQ(scales, expected_scales);
}

TEST_P(RowsTest, QuantizesASpanOfGroupsWithOneScale) {
  const std::size_t k = 224;  // seven groups: a span of four, and one of three
  std::vector<float> x = random_floats(k, 13);
  x[5] = 254.0F;
  x[200] = -127.0F;
  std::vector<std::int8_t> codes(k);
  std::vector<float> scales(k / 32);
  std::vector<std::int32_t> sums(k / 16);
  table().quantize_q8(x.data(), k, 4, codes.data(), scales.data(), sums.data());
  EXPECT_EQ(scales, (std::vector<float>{2, 2, 2, 2, 1, 1, 1}));
  for (std::size_t i = 0; i < k; ++i) {
    ASSERT_NEAR(codes[i] * scales[i / 32], x[i], 0.5001 * double{scales[i / 32]}) << i;
  }
  std::vector<std::int32_t> expected(k / 16);
  for (std::size_t i = 0; i < k; ++i) expected[i / 16] += codes[i];
  EXPECT_EQ(sums, expected);
}

TEST_P(RowsTest, QuantizesTinyAndInfiniteGroups) {
  std::vector<float> x(96, 1e-38F);
  x[40] = std::numeric_limits<float>::infinity();
  x[70] = std::numeric_limits<float>::quiet_NaN();
  std::vector<std::int8_t> codes(96);
  std::vector<float> scales(3);
  std::vector<std::int32_t> sums(6);
  table().quantize_q8(x.data(), 96, 1, codes.data(), scales.data(), sums.data());
  EXPECT_EQ(scales[0], 0.0F);
  EXPECT_TRUE(std::isnan(scales[1]));
  EXPECT_TRUE(std::isnan(scales[2]));
  EXPECT_EQ(codes, std::vector<std::int8_t>(96));
}

TEST_P(RowsTest, StoresQ8_0Blocks) {
  const std::vector<float> x = random_floats(96, 14);
  std::vector<std::byte> blocks(row_bytes(DType::q8_0, 96) + 1);
  table().f32_to_q8_0(x.data(), 96, blocks.data() + 1);
  std::vector<float> back(96);
  dequantize_row(DType::q8_0, blocks.data() + 1, 96, back.data());
  for (std::size_t g = 0; g < 3; ++g) {
    float most = 0;
    for (std::size_t i = 0; i < 32; ++i) most = std::max(most, std::fabs(x[g * 32 + i]));
    for (std::size_t i = 0; i < 32; ++i) {
      // Half a step, and the scale's rounding to binary16.
      ASSERT_NEAR(back[g * 32 + i], x[g * 32 + i], most * (0.5 / 127 + 0x1p-11));
    }
  }
}

TEST_P(RowsTest, RotatesPairs) {
  for (const std::size_t dim : {2U, 16U, 64U, 80U}) {
    const std::vector<float> head = random_floats(dim, 15);
    std::vector<float> cos_sin(dim);
    for (std::size_t i = 0; i < dim / 2; ++i) {
      cos_sin[2 * i] = std::cos(0.1F * static_cast<float>(i + 1));
      cos_sin[2 * i + 1] = std::sin(0.1F * static_cast<float>(i + 1));
    }
    for (const bool interleaved : {false, true}) {
      std::vector<float> out = head;
      table().rope(out.data(), cos_sin.data(), dim, interleaved);
      for (std::size_t i = 0; i < dim / 2; ++i) {
        const std::size_t first = interleaved ? 2 * i : i;
        const std::size_t second = interleaved ? 2 * i + 1 : i + dim / 2;
        const float c = cos_sin[2 * i];
        const float s = cos_sin[2 * i + 1];
        ASSERT_NEAR(out[first], double{head[first]} * c - double{head[second]} * s, 1e-5);
        ASSERT_NEAR(out[second], double{head[first]} * s + double{head[second]} * c, 1e-5);
      }
    }
  }
}

}  // namespace
}  // namespace lore::engine::cpu
