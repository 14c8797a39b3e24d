// The kernels behind the vector tables; only the units that fill or define a table include this.
// No STL here: the units below are compiled for wider machines than the program.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace lore::simd {

#define LORE_DECLARE_VECTOR_KERNELS(name)                                               \
  float name##_dot_f32(const float* a, const float* b, size_t dim);                     \
  void name##_scan_f32(const float* rows, size_t count, size_t dim, const float* query, \
                       float* scores);

LORE_DECLARE_VECTOR_KERNELS(scalar)
LORE_DECLARE_VECTOR_KERNELS(sse41)
LORE_DECLARE_VECTOR_KERNELS(avx2)
LORE_DECLARE_VECTOR_KERNELS(avx512)
LORE_DECLARE_VECTOR_KERNELS(neon)

#undef LORE_DECLARE_VECTOR_KERNELS

}  // namespace lore::simd
