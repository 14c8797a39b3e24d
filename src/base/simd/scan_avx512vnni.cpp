// Compiled with -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512vnni. Only intrinsics and
// fixed-width types.
#include "base/simd/scan_avx512.hpp"

namespace lore::simd {
namespace {

struct MultiplyAdd {
  static __m512i add_bytes(__m512i sum, __m512i a, __m512i x, __m512i b, __m512i y) {
    return _mm512_dpbusd_epi32(_mm512_dpbusd_epi32(sum, a, x), b, y);
  }
  static __m512i add_words(__m512i sum, __m512i a, __m512i x) {
    return _mm512_dpwssd_epi32(sum, a, x);
  }
};

}  // namespace

void avx512vnni_coarse_dots(const uint8_t* rows, size_t count, size_t bytes, const int8_t* query,
                            int32_t* dots) {
  coarse_dots_512<MultiplyAdd>(rows, count, bytes, query, dots);
}

int32_t avx512vnni_fine_dot(const uint8_t* high, const uint8_t* low, size_t bytes,
                            const int16_t* query) {
  return fine_dot_512<MultiplyAdd>(high, low, bytes, query);
}

}  // namespace lore::simd
