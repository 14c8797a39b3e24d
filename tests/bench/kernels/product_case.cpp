#include "tests/bench/kernels/product_case.hpp"

#include <cstring>
#include <random>

#include "engine/backend/cpu/kernels/pack.hpp"
#include "engine/quant/blocks.hpp"
#include "engine/quant/half.hpp"
#include "engine/quant/quantize.hpp"

namespace lore::engine::cpu {
namespace {

/// Random codes and scales; a model's numbers come out when d is about 0.001.
template <typename Block>
void write_blocks(std::vector<std::byte>& rows, std::mt19937& random) {
  for (std::byte& byte : rows) byte = static_cast<std::byte>(random() & 0xFFU);
  for (std::size_t at = 0; at < rows.size(); at += sizeof(Block)) {
    Block block;
    std::memcpy(&block, rows.data() + at, sizeof(block));
    block.d = f32_to_f16(0.0005F + 0.000001F * static_cast<float>(random() & 1023U));
    if constexpr (requires { block.dmin; }) block.dmin = f32_to_f16(0.0005F);
    std::memcpy(rows.data() + at, &block, sizeof(block));
  }
}

/// The 16 rows of a panel as a file has them.
std::vector<std::byte> panel_rows(DType type, std::size_t k, std::mt19937& random) {
  const std::size_t stride = row_bytes(type, k);
  std::vector<std::byte> rows(kPanelRows * stride);
  switch (type) {
    case DType::q2_k:
      write_blocks<BlockQ2_K>(rows, random);
      break;
    case DType::q3_k:
      write_blocks<BlockQ3_K>(rows, random);
      break;
    case DType::q4_k:
      write_blocks<BlockQ4_K>(rows, random);
      break;
    case DType::q5_k:
      write_blocks<BlockQ5_K>(rows, random);
      break;
    case DType::q6_k:
      write_blocks<BlockQ6_K>(rows, random);
      break;
    default: {
      std::normal_distribution<float> normal(0.0F, 0.02F);
      std::vector<float> row(k);
      for (std::size_t r = 0; r < kPanelRows; ++r) {
        for (float& value : row) value = normal(random);
        quantize_row(type, row.data(), k, rows.data() + r * stride);
      }
    }
  }
  return rows;
}

}  // namespace

ProductCase::ProductCase(const KernelTable& table, Regime regime, DType type, std::size_t rows,
                         std::size_t n, std::size_t k)
    : table_(table),
      regime_(regime),
      memory_(cpu::packed_bytes(type, n, k)),
      weights_(packed_shape(type, n, k, memory_.as<std::uint8_t>())),
      x_(rows * k),
      scales_(rows * k / 32),
      out_(rows * n),
      q8_(rows * k),
      sums_(rows * k / 16),
      bf16_(rows * ((k + 31) / 32 * 32)) {
  std::mt19937 random(1);
  // One panel packed, and its bytes for all: what they are does not matter any more.
  const std::vector<std::byte> panel = panel_rows(type, k, random);
  PackedMatrix one = weights_;
  one.n = kPanelRows;
  pack_panels(one, panel.data(), 0, 1, memory_.as<std::uint8_t>());
  for (std::size_t i = 1; i < weights_.panels; ++i) {
    std::memcpy(memory_.as<std::uint8_t>(i * weights_.panel_bytes), weights_.data,
                weights_.panel_bytes);
  }
  std::normal_distribution<float> normal(0.0F, 1.0F);
  for (float& value : x_) value = normal(random);
  const std::size_t stride = (k + 31) / 32 * 32;
  activations_.span = regime == Regime::many ? kMostSpan : 1;
  for (std::size_t r = 0; r < rows; ++r) {
    table.quantize_q8(&x_[r * k], k, activations_.span, &q8_[r * k], &scales_[r * k / 32],
                      &sums_[r * k / 16]);
    table.convert_bf16(&x_[r * k], k, &bf16_[r * stride]);
  }
  activations_.format = table.activation_for(weights_.type);
  activations_.rows = rows;
  activations_.k = k;
  activations_.f32 = x_.data();
  activations_.f32_stride = k;
  activations_.q8 = q8_.data();
  activations_.scales = scales_.data();
  activations_.sums = sums_.data();
  activations_.bf16 = bf16_.data();
}

void ProductCase::run(std::size_t begin, std::size_t end, std::uint8_t* scratch) {
  MatmulTask task;
  task.weights = &weights_;
  task.activations = &activations_;
  task.out = out_.data();
  task.out_stride = weights_.n;
  task.row_end = activations_.rows;
  task.panel_begin = begin;
  task.panel_end = end;
  task.scratch = scratch;
  (regime_ == Regime::many ? table_.matmul_many : table_.matmul_few)(task);
}

double ProductCase::checksum() const {
  double sum = 0;
  for (const float value : out_) sum += static_cast<double>(value);
  return sum;
}

}  // namespace lore::engine::cpu
