// The reference that the other units are tested against.
#include "base/simd/scan_kernels.hpp"

namespace lore::simd {

void scalar_coarse_dots(const uint8_t* rows, size_t count, size_t bytes, const int8_t* query,
                        int32_t* dots) {
  for (size_t r = 0; r < count; ++r) {
    const uint8_t* const row = rows + r * bytes;
    int32_t sum = 0;
    for (size_t i = 0; i < bytes; ++i) {
      sum += (row[i] & 15) * query[i] + (row[i] >> 4) * query[bytes + i];
    }
    dots[r] = sum;
  }
}

int32_t scalar_fine_dot(const uint8_t* high, const uint8_t* low, size_t bytes,
                        const int16_t* query) {
  int32_t sum = 0;
  for (size_t i = 0; i < bytes; ++i) {
    const int32_t first = ((high[i] & 15) << 4 | (low[i] & 15)) - 128;
    const int32_t second = ((high[i] & 0xF0) | low[i] >> 4) - 128;
    sum += first * query[i] + second * query[bytes + i];
  }
  return sum;
}

}  // namespace lore::simd
