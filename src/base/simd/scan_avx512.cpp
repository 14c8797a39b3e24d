// Compiled with -mavx512f -mavx512bw -mavx512dq -mavx512vl. Only intrinsics and fixed-width types.
#include "base/simd/scan_avx512.hpp"

namespace lore::simd {
namespace {

struct Multiply {
  static __m512i add_products(__m512i sum, __m512i row, __m512i query) {
    return _mm512_add_epi32(sum, _mm512_madd_epi16(row, query));
  }
};

}  // namespace

void avx512_dots_i8_i16(const int8_t* rows, size_t count, size_t stride, const int16_t* query,
                        int32_t* dots) {
  dots_512<Multiply>(rows, count, stride, query, dots);
}

}  // namespace lore::simd
