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

inline __m512i low_nibbles(__m512i bytes) { return _mm512_and_si512(bytes, _mm512_set1_epi8(15)); }

inline __m512i high_nibbles(__m512i bytes) { return low_nibbles(_mm512_srli_epi16(bytes, 4)); }

// Halves are taken with a full mask: the other forms leave a register undefined,
// and GCC 12 warns of it.
inline __m512i widened(__m512i bytes, int half) {
  const __m256i part = half == 0 ? _mm512_maskz_extracti64x4_epi64(0xFF, bytes, 0)
                                 : _mm512_maskz_extracti64x4_epi64(0xFF, bytes, 1);
  return _mm512_maskz_cvtepi8_epi16(0xFFFFFFFFU, part);
}

inline __m128i quarters(__m512i v) {
  const __m256i halves = _mm256_add_epi32(_mm512_maskz_extracti64x4_epi64(0xFF, v, 0),
                                          _mm512_maskz_extracti64x4_epi64(0xFF, v, 1));
  return _mm_add_epi32(_mm256_castsi256_si128(halves), _mm256_extracti128_si256(halves, 1));
}

// The sums of four registers, in their order.
inline __m128i sums_of(__m512i a, __m512i b, __m512i c, __m512i d) {
  return _mm_hadd_epi32(_mm_hadd_epi32(quarters(a), quarters(b)),
                        _mm_hadd_epi32(quarters(c), quarters(d)));
}

template <typename Operation>
inline __m512i add_coarse(__m512i sum, const uint8_t* row, __m512i first, __m512i second) {
  const __m512i bytes = _mm512_loadu_si512(row);
  return Operation::add_bytes(sum, low_nibbles(bytes), first, high_nibbles(bytes), second);
}

template <typename Operation>
inline __m128i dots_of_four(const uint8_t* row, size_t bytes, const int8_t* query) {
  __m512i s0 = _mm512_setzero_si512();
  __m512i s1 = s0;
  __m512i s2 = s0;
  __m512i s3 = s0;
  for (size_t i = 0; i < 4 * bytes; i += 64) {
    _mm_prefetch(reinterpret_cast<const char*>(row) + i + kAhead, _MM_HINT_T0);
  }
  for (size_t i = 0; i < bytes; i += 64) {
    const __m512i first = _mm512_loadu_si512(query + i);
    const __m512i second = _mm512_loadu_si512(query + bytes + i);
    s0 = add_coarse<Operation>(s0, row + i, first, second);
    s1 = add_coarse<Operation>(s1, row + i + bytes, first, second);
    s2 = add_coarse<Operation>(s2, row + i + 2 * bytes, first, second);
    s3 = add_coarse<Operation>(s3, row + i + 3 * bytes, first, second);
  }
  return sums_of(s0, s1, s2, s3);
}

template <typename Operation>
inline void coarse_dots_512(const uint8_t* rows, size_t count, size_t bytes, const int8_t* query,
                            int32_t* dots) {
  size_t r = 0;
  for (; r + 4 <= count; r += 4) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(dots + r),
                     dots_of_four<Operation>(rows + r * bytes, bytes, query));
  }
  const __m512i zero = _mm512_setzero_si512();
  for (; r < count; ++r) {
    __m512i sum = zero;
    for (size_t i = 0; i < bytes; i += 64) {
      sum = add_coarse<Operation>(sum, rows + r * bytes + i, _mm512_loadu_si512(query + i),
                                  _mm512_loadu_si512(query + bytes + i));
    }
    dots[r] = _mm_cvtsi128_si32(sums_of(sum, zero, zero, zero));
  }
}

// 64 codes, of nibbles that stand where they belong, with 64 values of the query.
template <typename Operation>
inline __m512i add_fine(__m512i sum, __m512i high, __m512i low, const int16_t* query) {
  const __m512i codes = _mm512_xor_si512(_mm512_or_si512(high, low), _mm512_set1_epi8(-128));
  sum = Operation::add_words(sum, widened(codes, 0), _mm512_loadu_si512(query));
  return Operation::add_words(sum, widened(codes, 1), _mm512_loadu_si512(query + 32));
}

template <typename Operation>
inline int32_t fine_dot_512(const uint8_t* high, const uint8_t* low, size_t bytes,
                            const int16_t* query) {
  const __m512i zero = _mm512_setzero_si512();
  __m512i s0 = zero;
  __m512i s1 = zero;
  for (size_t i = 0; i < bytes; i += 64) {
    const __m512i h = _mm512_loadu_si512(high + i);
    const __m512i l = _mm512_loadu_si512(low + i);
    s0 = add_fine<Operation>(s0, _mm512_slli_epi16(low_nibbles(h), 4), low_nibbles(l), query + i);
    s1 = add_fine<Operation>(s1, _mm512_and_si512(h, _mm512_set1_epi8(-16)), high_nibbles(l),
                             query + bytes + i);
  }
  return _mm_cvtsi128_si32(sums_of(_mm512_add_epi32(s0, s1), zero, zero, zero));
}

}  // namespace
}  // namespace lore::simd
