// The kernels behind the scan tables; only the units that fill or define a table include this.
// No STL here: the units below are compiled for wider machines than the program.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace lore::simd {

#define LORE_DECLARE_SCAN_KERNELS(name)                                                          \
  void name##_dots_i8_i16(const int8_t* rows, size_t count, size_t stride, const int16_t* query, \
                          int32_t* dots);

LORE_DECLARE_SCAN_KERNELS(scalar)
LORE_DECLARE_SCAN_KERNELS(avx2)
LORE_DECLARE_SCAN_KERNELS(avx512)
LORE_DECLARE_SCAN_KERNELS(avx512vnni)

#undef LORE_DECLARE_SCAN_KERNELS

}  // namespace lore::simd
