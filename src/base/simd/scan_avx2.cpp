// Compiled with -mavx2. Only intrinsics and fixed-width types.
#include <immintrin.h>

#include "base/simd/scan_kernels.hpp"

namespace lore::simd {
namespace {

// How far ahead of the sums memory is asked for: the processor's own prefetcher starts anew on
// every page, and a scan waits for memory before it waits for anything else.
constexpr size_t kAhead = 4096;

inline __m256i load(const void* p) { return _mm256_loadu_si256(static_cast<const __m256i*>(p)); }

inline __m256i low_nibbles(__m256i bytes) { return _mm256_and_si256(bytes, _mm256_set1_epi8(15)); }

inline __m256i high_nibbles(__m256i bytes) { return low_nibbles(_mm256_srli_epi16(bytes, 4)); }

// Four products of at most 15 * 128 fit 16 bits.
inline __m256i add_coarse(__m256i sum, const uint8_t* row, __m256i first, __m256i second) {
  const __m256i bytes = load(row);
  const __m256i products = _mm256_add_epi16(_mm256_maddubs_epi16(low_nibbles(bytes), first),
                                            _mm256_maddubs_epi16(high_nibbles(bytes), second));
  return _mm256_add_epi32(sum, _mm256_madd_epi16(products, _mm256_set1_epi16(1)));
}

// The sums of four registers, in their order.
inline __m128i sums_of(__m256i a, __m256i b, __m256i c, __m256i d) {
  const __m256i s = _mm256_hadd_epi32(_mm256_hadd_epi32(a, b), _mm256_hadd_epi32(c, d));
  return _mm_add_epi32(_mm256_castsi256_si128(s), _mm256_extracti128_si256(s, 1));
}

inline __m128i dots_of_four(const uint8_t* row, size_t bytes, const int8_t* query) {
  __m256i s0 = _mm256_setzero_si256();
  __m256i s1 = s0;
  __m256i s2 = s0;
  __m256i s3 = s0;
  for (size_t i = 0; i < 4 * bytes; i += 64) {
    _mm_prefetch(reinterpret_cast<const char*>(row) + i + kAhead, _MM_HINT_T0);
  }
  for (size_t i = 0; i < bytes; i += 32) {
    const __m256i first = load(query + i);
    const __m256i second = load(query + bytes + i);
    s0 = add_coarse(s0, row + i, first, second);
    s1 = add_coarse(s1, row + i + bytes, first, second);
    s2 = add_coarse(s2, row + i + 2 * bytes, first, second);
    s3 = add_coarse(s3, row + i + 3 * bytes, first, second);
  }
  return sums_of(s0, s1, s2, s3);
}

// 32 codes, of nibbles that stand where they belong, with 32 values of the query.
inline __m256i add_fine(__m256i sum, __m256i high, __m256i low, const int16_t* query) {
  const __m256i codes = _mm256_xor_si256(_mm256_or_si256(high, low), _mm256_set1_epi8(-128));
  const __m256i first = _mm256_cvtepi8_epi16(_mm256_castsi256_si128(codes));
  const __m256i second = _mm256_cvtepi8_epi16(_mm256_extracti128_si256(codes, 1));
  sum = _mm256_add_epi32(sum, _mm256_madd_epi16(first, load(query)));
  return _mm256_add_epi32(sum, _mm256_madd_epi16(second, load(query + 16)));
}

}  // namespace

void avx2_coarse_dots(const uint8_t* rows, size_t count, size_t bytes, const int8_t* query,
                      int32_t* dots) {
  size_t r = 0;
  for (; r + 4 <= count; r += 4) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(dots + r),
                     dots_of_four(rows + r * bytes, bytes, query));
  }
  const __m256i zero = _mm256_setzero_si256();
  for (; r < count; ++r) {
    __m256i sum = zero;
    for (size_t i = 0; i < bytes; i += 32) {
      sum = add_coarse(sum, rows + r * bytes + i, load(query + i), load(query + bytes + i));
    }
    dots[r] = _mm_cvtsi128_si32(sums_of(sum, zero, zero, zero));
  }
}

int32_t avx2_fine_dot(const uint8_t* high, const uint8_t* low, size_t bytes, const int16_t* query) {
  const __m256i zero = _mm256_setzero_si256();
  __m256i s0 = zero;
  __m256i s1 = zero;
  for (size_t i = 0; i < bytes; i += 32) {
    const __m256i h = load(high + i);
    const __m256i l = load(low + i);
    s0 = add_fine(s0, _mm256_slli_epi16(low_nibbles(h), 4), low_nibbles(l), query + i);
    s1 = add_fine(s1, _mm256_and_si256(h, _mm256_set1_epi8(-16)), high_nibbles(l),
                  query + bytes + i);
  }
  return _mm_cvtsi128_si32(sums_of(_mm256_add_epi32(s0, s1), zero, zero, zero));
}

}  // namespace lore::simd
