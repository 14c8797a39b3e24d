// Compiled with -mavx2. Only intrinsics and fixed-width types.
#include <immintrin.h>

#include "base/simd/scan_kernels.hpp"

namespace lore::simd {
namespace {

// How far ahead of the sums memory is asked for: the processor's own prefetcher starts anew on
// every page, and a scan waits for memory before it waits for anything else.
constexpr size_t kAhead = 4096;

inline __m256i add_products(__m256i sum, const int8_t* row, __m256i query) {
  const __m256i x = _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(row)));
  return _mm256_add_epi32(sum, _mm256_madd_epi16(x, query));
}

inline __m256i load(const int16_t* p) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
}

inline void prefetch(const int8_t* p) {
  _mm_prefetch(reinterpret_cast<const char*>(p) + kAhead, _MM_HINT_T0);
}

// The sums of four registers, in their order.
inline __m128i sums_of(__m256i a, __m256i b, __m256i c, __m256i d) {
  const __m256i s = _mm256_hadd_epi32(_mm256_hadd_epi32(a, b), _mm256_hadd_epi32(c, d));
  return _mm_add_epi32(_mm256_castsi256_si128(s), _mm256_extracti128_si256(s, 1));
}

inline __m128i dots_of_four(const int8_t* row, size_t stride, const int16_t* query) {
  __m256i s0 = _mm256_setzero_si256();
  __m256i s1 = s0;
  __m256i s2 = s0;
  __m256i s3 = s0;
  for (size_t i = 0; i < stride; i += 64) {
    prefetch(row + i);
    prefetch(row + i + stride);
    prefetch(row + i + 2 * stride);
    prefetch(row + i + 3 * stride);
    for (size_t k = i; k < i + 64; k += 16) {
      const __m256i q = load(query + k);
      s0 = add_products(s0, row + k, q);
      s1 = add_products(s1, row + k + stride, q);
      s2 = add_products(s2, row + k + 2 * stride, q);
      s3 = add_products(s3, row + k + 3 * stride, q);
    }
  }
  return sums_of(s0, s1, s2, s3);
}

}  // namespace

void avx2_dots_i8_i16(const int8_t* rows, size_t count, size_t stride, const int16_t* query,
                      int32_t* dots) {
  size_t r = 0;
  for (; r + 4 <= count; r += 4) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(dots + r),
                     dots_of_four(rows + r * stride, stride, query));
  }
  const __m256i zero = _mm256_setzero_si256();
  for (; r < count; ++r) {
    __m256i sum = zero;
    for (size_t i = 0; i < stride; i += 16) {
      sum = add_products(sum, rows + r * stride + i, load(query + i));
    }
    dots[r] = _mm_cvtsi128_si32(sums_of(sum, zero, zero, zero));
  }
}

}  // namespace lore::simd
