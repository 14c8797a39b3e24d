// The reference that the other units are tested against.
#include "base/simd/scan_kernels.hpp"

namespace lore::simd {

void scalar_dots_i8_i16(const int8_t* rows, size_t count, size_t stride, const int16_t* query,
                        int32_t* dots) {
  for (size_t r = 0; r < count; ++r) {
    const int8_t* const row = rows + r * stride;
    int32_t sum = 0;
    for (size_t i = 0; i < stride; ++i) sum += int32_t{row[i]} * int32_t{query[i]};
    dots[r] = sum;
  }
}

}  // namespace lore::simd
