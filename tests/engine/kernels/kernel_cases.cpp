#include "tests/engine/kernels/kernel_cases.hpp"

#include <algorithm>
#include <cstring>
#include <random>

#include "engine/backend/cpu/kernels/pack.hpp"
#include "engine/backend/cpu/kernels/select.hpp"
#include "engine/quant/dequantize.hpp"
#include "engine/quant/half.hpp"

namespace lore::engine::cpu {

namespace scalar_unfused {
const KernelTable& table();
}  // namespace scalar_unfused

std::vector<const KernelTable*> runnable_tables() {
  const simd::CpuFeatures features = simd::detect_cpu_features();
  return all_tables(features);
}

const KernelTable& scalar_like(const KernelTable& table) {
  return table.fused ? scalar_table() : scalar_unfused::table();
}

const std::vector<DType>& all_types() {
  static const std::vector<DType> types = {
      DType::f32,  DType::f16,  DType::bf16, DType::q4_0, DType::q4_1, DType::q5_0, DType::q5_1,
      DType::q8_0, DType::q2_k, DType::q3_k, DType::q4_k, DType::q5_k, DType::q6_k};
  return types;
}

bool is_quantized(DType type) {
  return type != DType::f32 && type != DType::f16 && type != DType::bf16;
}

AlignedBytes::AlignedBytes(std::size_t size, std::size_t offset) : storage_(size + 128) {
  const auto address = reinterpret_cast<std::uintptr_t>(storage_.data());
  data_ = storage_.data() + (64 - address % 64) % 64 + offset;
}

namespace {

void put_half(std::byte* block, std::size_t at, float value) {
  const std::uint16_t half = f32_to_f16(value);
  std::memcpy(block + at, &half, sizeof(half));
}

/// Where the binary16 numbers of a block stand: d, then m or dmin where the type has one.
std::vector<std::size_t> scale_places(DType type) {
  switch (type) {
    case DType::q4_1:
    case DType::q5_1:
    case DType::q4_k:
    case DType::q5_k:
      return {0, 2};
    case DType::q2_k:
      return {80, 82};
    case DType::q3_k:
      return {108};
    case DType::q6_k:
      return {208};
    default:
      return {0};
  }
}

std::vector<std::byte> random_rows(DType type, std::size_t n, std::size_t k, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::byte> rows(n * row_bytes(type, k));
  if (!is_quantized(type)) {
    const std::vector<float> values = random_floats(n * k, seed);
    for (std::size_t i = 0; i < n * k; ++i) {
      if (type == DType::f32) std::memcpy(&rows[4 * i], &values[i], 4);
      if (type == DType::f16) put_half(rows.data(), 2 * i, values[i]);
      const std::uint16_t bf16 = f32_to_bf16(values[i]);
      if (type == DType::bf16) std::memcpy(&rows[2 * i], &bf16, 2);
    }
    return rows;
  }
  for (std::byte& byte : rows) byte = static_cast<std::byte>(random() & 0xFFU);
  std::uniform_real_distribution<float> scale(-0.02F, 0.02F);
  const BlockShape shape = block_shape(type);
  for (std::size_t at = 0; at < rows.size(); at += shape.bytes) {
    for (const std::size_t place : scale_places(type)) {
      put_half(rows.data() + at, place, scale(random));
    }
  }
  return rows;
}

}  // namespace

Weights::Weights(DType type_, std::size_t n_, std::size_t k_, unsigned seed)
    : type(type_),
      n(n_),
      k(k_),
      rows(random_rows(type_, n_, k_, seed)),
      packed_bytes(cpu::packed_bytes(type_, n_, k_)),
      packed(packed_shape(type_, n_, k_, packed_bytes.data())),
      values(n_ * k_) {
  update();
}

void Weights::update() {
  pack_panels(packed, rows.data(), 0, packed.panels, packed_bytes.data());
  for (std::size_t i = 0; i < n; ++i) {
    dequantize_row(type, rows.data() + i * row_bytes(type, k), k, values.data() + i * k);
  }
}

void round_to_bf16(std::vector<float>& values) {
  for (float& value : values) value = bf16_to_f32(f32_to_bf16(value));
}

void fill_codes(Weights& weights, std::uint8_t pattern) {
  const BlockShape shape = block_shape(weights.type);
  for (std::size_t at = 0; at < weights.rows.size(); at += shape.bytes) {
    std::byte* block = weights.rows.data() + at;
    const std::vector<std::byte> before(block, block + shape.bytes);
    std::memset(block, pattern, shape.bytes);
    for (const std::size_t place : scale_places(weights.type)) {
      std::memcpy(block + place, before.data() + place, 2);
    }
  }
  weights.update();
}

Prepared::Prepared(const KernelTable& table, DType type, const std::vector<float>& x,
                   std::size_t rows, std::size_t k, std::size_t span)
    : used(x), f32_(x) {
  view.format = table.activation_for(static_cast<std::uint32_t>(type));
  view.rows = rows;
  view.k = k;
  view.f32 = f32_.data();
  view.f32_stride = k;
  if (view.format == ActivationFormat::bf16) {
    const std::size_t padded = (k + 31) / 32 * 32;
    bf16_.resize(rows * padded);
    for (std::size_t r = 0; r < rows; ++r) {
      table.convert_bf16(x.data() + r * k, k, bf16_.data() + r * padded);
      for (std::size_t i = 0; i < k; ++i) used[r * k + i] = bf16_to_f32(bf16_[r * padded + i]);
    }
    view.bf16 = bf16_.data();
  }
  if (view.format == ActivationFormat::q8) {
    q8_.resize(rows * k);
    scales_.resize(rows * k / 32);
    sums_.resize(rows * k / 16);
    for (std::size_t r = 0; r < rows; ++r) {
      table.quantize_q8(x.data() + r * k, k, span, q8_.data() + r * k, scales_.data() + r * k / 32,
                        sums_.data() + r * k / 16);
    }
    for (std::size_t i = 0; i < rows * k; ++i) {
      used[i] = static_cast<float>(q8_[i]) * scales_[i / 32];
    }
    view.q8 = q8_.data();
    view.span = span;
    view.scales = scales_.data();
    view.sums = sums_.data();
  }
}

std::vector<float> random_floats(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0.0F, 1.0F);
  std::vector<float> values(count);
  for (float& value : values) value = normal(random) * (random() % 64 == 0 ? 20.0F : 1.0F);
  return values;
}

std::vector<float> multiply(const KernelTable& table, Regime regime, const Weights& weights,
                            const Prepared& activations, const float* bias) {
  const std::size_t rows = activations.view.rows;
  std::vector<float> out(rows * weights.n);
  AlignedBytes scratch(table.matmul_scratch_bytes(weights.k));
  MatmulTask task;
  task.weights = &weights.packed;
  task.activations = &activations.view;
  task.bias = bias;
  task.out = out.data();
  task.out_stride = weights.n;
  task.row_end = rows;
  task.panel_end = weights.packed.panels;
  task.scratch = scratch.data();
  (regime == Regime::many ? table.matmul_many : table.matmul_few)(task);
  return out;
}

std::string table_name(const KernelTable& table) {
  const std::vector<const KernelTable*> tables = runnable_tables();
  const auto place = std::find(tables.begin(), tables.end(), &table) - tables.begin();
  return std::string(table.name) + "_" + std::to_string(place);
}

}  // namespace lore::engine::cpu
