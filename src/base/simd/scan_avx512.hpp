// The scan over 512-bit registers, whatever multiplies and adds. Included by the units that are
// compiled for AVX-512, and by nothing else.
#pragma once

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#include "base/simd/scan_kernels.hpp"

namespace lore::simd {
namespace {

// How far ahead of the sums memory is asked for: the processor's own prefetcher starts anew on
// every page, and a scan waits for memory before it waits for anything else.
constexpr size_t kAhead = 4096;

inline __m512i load_codes(const int8_t* p) {
  return _mm512_maskz_cvtepi8_epi16(0xFFFFFFFFU,
                                    _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
}

inline void prefetch(const int8_t* p) {
  _mm_prefetch(reinterpret_cast<const char*>(p) + kAhead, _MM_HINT_T0);
}

inline __m128i quarters(__m512i v) {
  const __m256i halves = _mm256_add_epi32(_mm512_maskz_extracti32x8_epi32(0xFF, v, 0),
                                          _mm512_maskz_extracti32x8_epi32(0xFF, v, 1));
  return _mm_add_epi32(_mm256_castsi256_si128(halves), _mm256_extracti128_si256(halves, 1));
}

// The sums of four registers, in their order.
inline __m128i sums_of(__m512i a, __m512i b, __m512i c, __m512i d) {
  return _mm_hadd_epi32(_mm_hadd_epi32(quarters(a), quarters(b)),
                        _mm_hadd_epi32(quarters(c), quarters(d)));
}

template <typename Operation>
inline __m128i dots_of_four(const int8_t* row, size_t stride, const int16_t* query) {
  __m512i s0 = _mm512_setzero_si512();
  __m512i s1 = s0;
  __m512i s2 = s0;
  __m512i s3 = s0;
  for (size_t i = 0; i < stride; i += 64) {
    prefetch(row + i);
    prefetch(row + i + stride);
    prefetch(row + i + 2 * stride);
    prefetch(row + i + 3 * stride);
    for (size_t k = i; k < i + 64; k += 32) {
      const __m512i q = _mm512_loadu_si512(query + k);
      s0 = Operation::add_products(s0, load_codes(row + k), q);
      s1 = Operation::add_products(s1, load_codes(row + k + stride), q);
      s2 = Operation::add_products(s2, load_codes(row + k + 2 * stride), q);
      s3 = Operation::add_products(s3, load_codes(row + k + 3 * stride), q);
    }
  }
  return sums_of(s0, s1, s2, s3);
}

template <typename Operation>
inline void dots_512(const int8_t* rows, size_t count, size_t stride, const int16_t* query,
                     int32_t* dots) {
  size_t r = 0;
  for (; r + 4 <= count; r += 4) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(dots + r),
                     dots_of_four<Operation>(rows + r * stride, stride, query));
  }
  const __m512i zero = _mm512_setzero_si512();
  for (; r < count; ++r) {
    __m512i sum = zero;
    for (size_t i = 0; i < stride; i += 32) {
      sum = Operation::add_products(sum, load_codes(rows + r * stride + i),
                                    _mm512_loadu_si512(query + i));
    }
    dots[r] = _mm_cvtsi128_si32(sums_of(sum, zero, zero, zero));
  }
}

}  // namespace
}  // namespace lore::simd
