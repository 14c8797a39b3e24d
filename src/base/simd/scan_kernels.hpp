// The kernels behind the scan tables; only the units that fill or define a table include this.
// No STL here: the units below are compiled for wider machines than the program.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace lore::simd {

#define LORE_DECLARE_SCAN_KERNELS(name)                                                         \
  void name##_coarse_dots(const uint8_t* rows, size_t count, size_t bytes, const int8_t* query, \
                          int32_t* dots);                                                       \
  int32_t name##_fine_dot(const uint8_t* high, const uint8_t* low, size_t bytes,                \
                          const int16_t* query);

LORE_DECLARE_SCAN_KERNELS(scalar)
LORE_DECLARE_SCAN_KERNELS(avx2)
LORE_DECLARE_SCAN_KERNELS(avx512)
LORE_DECLARE_SCAN_KERNELS(avx512vnni)

#undef LORE_DECLARE_SCAN_KERNELS

}  // namespace lore::simd
