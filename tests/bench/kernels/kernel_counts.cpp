// Runs AVX2 kernels, each once on a fixed shape, for a tool that counts their instructions
// (instruction_counts.py). Prints the name of each before it runs. AVX2, since callgrind knows no
// AVX-512; the data is prepared by the same table.
//
//   kernel_counts
//
// Ends with 77 where the processor has no AVX2.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "base/simd/scan_ops.hpp"
#include "base/simd/vector_ops.hpp"
#include "engine/backend/cpu/kernels/select.hpp"
#include "tests/bench/kernels/product_case.hpp"

/// What is counted: instructions between its beginning and its end. A name of its own in the symbol
/// table, and no part of its caller.
extern "C" __attribute__((noinline)) void lore_counted_kernel(const std::function<void()>& kernel) {
  kernel();
}

namespace lore::engine::cpu {
namespace {

constexpr int kSkip = 77;

/// Shapes with a tail in the rows of a tile.
constexpr std::size_t kManyRows = 37;
constexpr std::size_t kOutputs = 96;
constexpr std::size_t kInputs = 1024;
constexpr std::size_t kHeadDim = 64;
constexpr std::size_t kRowValues = 1544;  // no multiple of 16
constexpr std::size_t kDimension = 384;
constexpr std::size_t kScannedRows = 64;

void count(const std::string& name, const std::function<void()>& kernel) {
  std::puts(name.c_str());
  lore_counted_kernel(kernel);
}

std::vector<float> ordinary_floats(std::size_t count) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal(0.0F, 1.0F);
  std::vector<float> values(count);
  for (float& value : values) value = normal(random);
  return values;
}

void check(bool sound, const std::string& name) {
  if (sound) return;
  std::fprintf(stderr, "%s computes no finite numbers\n", name.c_str());
  std::exit(1);
}

void count_products(const KernelTable& table) {
  Buffer scratch(table.matmul_scratch_bytes(kInputs));
  for (const DType type :
       {DType::q8_0, DType::q4_k, DType::q4_0, DType::q4_1, DType::q6_k, DType::f16}) {
    const auto product = [&](Regime regime, std::size_t rows) {
      ProductCase tested(table, regime, type, rows, kOutputs, kInputs);
      const std::string name = std::string(regime == Regime::many ? "many " : "few ") +
                               std::string(dtype_name(type)) + ", " + std::to_string(rows) +
                               " rows, " + std::to_string(kOutputs) + " x " +
                               std::to_string(kInputs);
      count(name, [&] { tested.run(0, tested.panels(), scratch.as<std::uint8_t>()); });
      check(std::isfinite(tested.checksum()), name);
    };
    product(Regime::many, kManyRows);
    product(Regime::few, 1);
    product(Regime::few, 8);
  }
}

void count_attention(const KernelTable& table, std::size_t rows) {
  const std::vector<float> queries = ordinary_floats(rows * kHeadDim);
  const std::vector<float> stored = ordinary_floats(kKeyBlock * kHeadDim);
  std::vector<std::uint16_t> keys(stored.size());
  table.f32_to_f16(stored.data(), stored.size(), keys.data());
  std::vector<float> accumulator(rows * kHeadDim);
  std::vector<float> maximum(rows, -INFINITY);
  std::vector<float> sum(rows);
  const std::vector<std::int32_t> begin(rows);
  const std::vector<std::int32_t> end(rows, static_cast<std::int32_t>(kKeyBlock));
  std::vector<float> scratch(table.attention_scratch_floats(kHeadDim));
  AttentionBlock block;
  block.queries = queries.data();
  block.query_stride = kHeadDim;
  block.rows = rows;
  block.keys = block.values = keys.data();
  block.key_stride = block.value_stride = kHeadDim * sizeof(std::uint16_t);
  block.key_count = kKeyBlock;
  block.head_dim = kHeadDim;
  block.format = CacheFormat::f16;
  block.visible_begin = begin.data();
  block.visible_end = end.data();
  block.accumulator = accumulator.data();
  block.maximum = maximum.data();
  block.sum = sum.data();
  block.scratch = scratch.data();
  const std::string name = "attention f16, " + std::to_string(rows) + " rows, " +
                           std::to_string(kKeyBlock) + " keys of " + std::to_string(kHeadDim);
  count(name, [&] { table.attention_block(block); });
  check(std::isfinite(accumulator[0]) && sum[0] > 0, name);
}

void count_rows(const KernelTable& table) {
  const std::vector<float> x = ordinary_floats(kRowValues);
  const std::vector<float> weight = ordinary_floats(kRowValues);
  std::vector<float> out(kRowValues);
  const auto row = [&](const std::string& name, const std::function<void()>& kernel) {
    out.assign(kRowValues, NAN);
    count(name + ", " + std::to_string(kRowValues) + " values", kernel);
    check(std::isfinite(out.front()) && std::isfinite(out.back()), name);
  };
  row("layer_norm", [&] {
    table.layer_norm(x.data(), weight.data(), weight.data(), 1e-5F, kRowValues, out.data());
  });
  row("rms_norm", [&] { table.rms_norm(x.data(), weight.data(), 1e-5F, kRowValues, out.data()); });
  row("gelu_erf", [&] { table.gelu_erf(x.data(), kRowValues, out.data()); });
  row("gelu_tanh", [&] { table.gelu_tanh(x.data(), kRowValues, out.data()); });
  row("silu_multiply",
      [&] { table.silu_multiply(x.data(), weight.data(), kRowValues, out.data()); });

  constexpr std::size_t kGroup = 32;
  std::vector<std::int8_t> codes(kInputs);
  std::vector<float> scales(kInputs / kGroup);
  std::vector<std::int32_t> sums(kInputs / 16);
  count("quantize_q8, " + std::to_string(kInputs) + " values", [&] {
    table.quantize_q8(x.data(), kInputs, kMostSpan, codes.data(), scales.data(), sums.data());
  });
  check(scales.back() > 0, "quantize_q8");
  std::vector<float> head = ordinary_floats(2 * kHeadDim);
  for (const bool interleaved : {false, true}) {
    count(std::string("rope ") + (interleaved ? "of neighbours" : "of halves") + ", " +
              std::to_string(head.size()) + " values",
          [&] { table.rope(head.data(), x.data(), head.size(), interleaved); });
  }
  check(std::isfinite(head.back()), "rope");
}

void count_vectors(const simd::VectorTable& table, const simd::ScanTable& scan) {
  const std::vector<float> rows = ordinary_floats(kScannedRows * kDimension);
  std::vector<float> scores(kScannedRows);
  const std::string dimension = " of " + std::to_string(kDimension);
  const std::string scanned = std::to_string(kScannedRows) + " rows" + dimension;
  count("dot_f32" + dimension,
        [&] { scores[0] = table.dot_f32(rows.data(), rows.data(), kDimension); });
  count("scan_f32, " + scanned,
        [&] { table.scan_f32(rows.data(), kScannedRows, kDimension, rows.data(), scores.data()); });
  check(scores[0] > 0, "scan");

  constexpr std::size_t kHalf = kDimension / 2;  // two codes a byte
  static_assert(kHalf % simd::kScanBytes == 0);
  const std::vector<std::uint8_t> codes(kScannedRows * kHalf, 0xA5);
  const std::vector<std::int8_t> coarse(kDimension, 3);
  const std::vector<std::int16_t> fine(kDimension, 3);
  std::vector<std::int32_t> dots(kScannedRows);
  count("coarse_dots, " + scanned,
        [&] { scan.coarse_dots(codes.data(), kScannedRows, kHalf, coarse.data(), dots.data()); });
  check(dots.back() > 0, "coarse_dots");
  count("fine_dot" + dimension,
        [&] { dots[0] = scan.fine_dot(codes.data(), codes.data(), kHalf, fine.data()); });
  check(dots[0] != 0, "fine_dot");
}

int run() {
  const simd::CpuFeatures features = simd::detect_cpu_features();
  if (!features.avx2) {
    std::fprintf(stderr, "this processor has no AVX2\n");
    return kSkip;
  }
  const KernelTable& table = select_kernels(features, "avx2");
  count_products(table);
  count_attention(table, 1);
  count_attention(table, 64);
  count_rows(table);
  count_vectors(simd::vector_table(simd::Level::avx2),
                simd::scan_table(features, simd::Level::avx2));
  return 0;
}

}  // namespace
}  // namespace lore::engine::cpu

int main() { return lore::engine::cpu::run(); }
