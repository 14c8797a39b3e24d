// Activations in the forms that products take: how a prepared slot is laid out, and filling it.
#pragma once

#include <cstddef>
#include <span>

#include "engine/backend/cpu/kernels/kernel_table.hpp"
#include "engine/tensor/dtype.hpp"

namespace lore::engine::cpu {

/// A prepared slot holds one array a form (float32; bfloat16; int8 with scales and sums), each
/// [capacity, its width]. Which forms there are depends on the weights that read the slot.
class PreparedLayout {
 public:
  PreparedLayout() = default;
  /// `piece`: columns that are written at once (or a multiple of them), 0 for the whole row.
  PreparedLayout(const KernelTable& kernels, std::size_t width, std::span<const DType> readers,
                 std::size_t piece = 0);

  std::size_t width() const { return width_; }
  std::size_t row_bytes() const { return row_bytes_; }

  /// Groups of 32 int8 values that share a scale. Where rows of `many` meet weights in blocks of
  /// 256 values alone, they share one as widely as pieces allow: that spares a multiplication a
  /// group. Other weights are in blocks of 32 because models were found to need it, and rows of
  /// `few` wait for memory anyway.
  std::size_t span(Regime regime) const { return regime == Regime::many ? span_ : 1; }

  /// The rows from `first` on, of a slot at `base`, for a product that takes `format`.
  Activations view(ActivationFormat format, Regime regime, std::byte* base, std::size_t capacity,
                   std::size_t first) const;

  /// Writes the columns [column, column + n) of a row in every form. Both must be multiples of
  /// 32 * span(regime), but for a segment that ends with the row.
  void write(const KernelTable& kernels, Regime regime, std::byte* base, std::size_t capacity,
             std::size_t row, std::size_t column, const float* x, std::size_t n) const;

 private:
  std::size_t width_ = 0;
  std::size_t span_ = 1;
  bool has_f32_ = false, has_bf16_ = false, has_q8_ = false;
  // Bytes a token before each array.
  std::size_t bf16_ = 0, q8_ = 0, scales_ = 0, sums_ = 0;
  std::size_t row_bytes_ = 0;
};

}  // namespace lore::engine::cpu
