// Dot products of float32 vectors, and scans of many rows against one query; of 8-bit codes
// scan_ops.hpp has them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/simd/cpu_features.hpp"

namespace lore::simd {

/// The operations in one instruction set. Every pointer may have any alignment that its type
/// allows; sizes may be 0. A scan gives each row exactly what `dot` gives for it, bit for bit, so
/// that a score does not depend on which of the two computed it. Tables differ from each other in
/// the last bits (the order of summation).
///
/// Thread safety: stateless; any thread.
struct VectorTable {
  Level level;
  /// Sum of a[i] * b[i]; a, b: [dim], float32.
  float (*dot_f32)(const float* a, const float* b, std::size_t dim);
  /// scores[r] = dot_f32(rows + r * dim, query); rows: [count, dim], row-major; scores: [count].
  void (*scan_f32)(const float* rows, std::size_t count, std::size_t dim, const float* query,
                   float* scores);
};

/// The table for `level`; a level without one of its own (amx) takes the widest below it. The
/// processor must have the level.
const VectorTable& vector_table(Level level) noexcept;

/// The widest table that this processor can run; detected once.
const VectorTable& best_vector_table() noexcept;

}  // namespace lore::simd
