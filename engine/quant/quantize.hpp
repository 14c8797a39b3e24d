// Float32 rows as the types that the converter writes.
#pragma once

#include <cstddef>

#include "engine/tensor/dtype.hpp"

namespace lore::engine {

/// Writes the row `x`, [n] float32, as `type` to `out`, row_bytes(type, n) bytes. `n` is a multiple
/// of the type's block. The rounding is that of the formats' reference, so the bytes are the same:
/// F16 and BF16 to nearest even; Q8_0 with scale max|x| / 127; Q4_0 and Q5_0 with the value of
/// largest magnitude at the negative end of the codes; Q4_1 and Q5_1 between minimum and maximum.
/// Throws Error{unsupported} for types but F32, F16, BF16, Q8_0, Q4_0, Q4_1, Q5_0 and Q5_1.
void quantize_row(DType type, const float* x, std::size_t n, std::byte* out);

}  // namespace lore::engine
