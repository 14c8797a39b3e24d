// How quantized products turn integer sums into floats where an instruction set has no better way.
// Included at the end of its vec.hpp.
#pragma once

namespace lore::engine::cpu {
namespace {

/// Panels that a tile of `many` covers.
constexpr std::size_t kManyPanels = 1;
/// Dot products start from 0 and become floats by conversion; no shift is needed.
constexpr std::int32_t kDotStart = 0;
LORE_INLINE Floats dot_shift(Floats scale) { return scale; }
/// The product of a dot product and a scale, rounded once.
LORE_INLINE Floats scaled_dot(Ints sum, Floats scale, Floats) {
  return multiply(to_floats(sum), scale);
}

}  // namespace
}  // namespace lore::engine::cpu
