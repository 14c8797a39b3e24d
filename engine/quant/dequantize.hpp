// Quantized rows as float32.
#pragma once

#include <cstddef>

#include "engine/tensor/dtype.hpp"

namespace lore::engine {

/// Writes the `n` values of the row at `x` to `out`, [n] float32. `n` is a multiple of the type's
/// block and `x` holds row_bytes(type, n) bytes, at any alignment. Bit-equal to the formats'
/// reference: scale times code, then the minimum, each step rounded to float32.
void dequantize_row(DType type, const std::byte* x, std::size_t n, float* out) noexcept;

}  // namespace lore::engine
