// Compiled with -mavx512f -mavx512bw -mavx512dq -mavx512vl. Only intrinsics and fixed-width types.
#include "base/simd/scan_avx512.hpp"

namespace lore::simd {
namespace {

struct Multiply {
  // Four products of at most 15 * 128 fit 16 bits.
  static __m512i add_bytes(__m512i sum, __m512i a, __m512i x, __m512i b, __m512i y) {
    const __m512i products =
        _mm512_add_epi16(_mm512_maddubs_epi16(a, x), _mm512_maddubs_epi16(b, y));
    return _mm512_add_epi32(sum, _mm512_madd_epi16(products, _mm512_set1_epi16(1)));
  }
  static __m512i add_words(__m512i sum, __m512i a, __m512i x) {
    return _mm512_add_epi32(sum, _mm512_madd_epi16(a, x));
  }
};

}  // namespace

void avx512_coarse_dots(const uint8_t* rows, size_t count, size_t bytes, const int8_t* query,
                        int32_t* dots) {
  coarse_dots_512<Multiply>(rows, count, bytes, query, dots);
}

int32_t avx512_fine_dot(const uint8_t* high, const uint8_t* low, size_t bytes,
                        const int16_t* query) {
  return fine_dot_512<Multiply>(high, low, bytes, query);
}

}  // namespace lore::simd
