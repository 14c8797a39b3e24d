// A packed matrix of ordinary numbers and prepared activations, for programs that measure products.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/backend/cpu/kernels/kernel_table.hpp"
#include "engine/tensor/buffer.hpp"
#include "engine/tensor/dtype.hpp"

namespace lore::engine::cpu {

/// out [rows, n] = activations [rows, k] times weights [n, k]. The values are as large as a model's
/// are, and finite in every type: denormal numbers and NaN take longer than they should.
///
/// Thread safety: run may be called at the same time for different panels.
class ProductCase {
 public:
  ProductCase(const KernelTable& table, Regime regime, DType type, std::size_t rows, std::size_t n,
              std::size_t k);

  std::size_t panels() const { return weights_.panels; }
  std::size_t packed_bytes() const { return memory_.size(); }
  ActivationFormat format() const { return activations_.format; }

  /// The product of the panels [begin, end); `scratch`: matmul_scratch_bytes(k), 64-byte aligned.
  void run(std::size_t begin, std::size_t end, std::uint8_t* scratch);

  /// The sum of all results, which is finite.
  double checksum() const;

 private:
  const KernelTable& table_;
  Regime regime_;
  Buffer memory_;  // in huge pages, as the engine's weights are
  PackedMatrix weights_;
  Activations activations_;
  std::vector<float> x_, scales_, out_;
  std::vector<std::int8_t> q8_;
  std::vector<std::int32_t> sums_;
  std::vector<std::uint16_t> bf16_;
};

}  // namespace lore::engine::cpu
