// Compiled with -mavx2 -mfma -mf16c. Only intrinsics and fixed-width types.
#include <immintrin.h>

#include "base/simd/vector_kernels.hpp"

namespace lore::simd {
namespace {

inline float sum_of(__m256 v) {
  __m128 s = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
  s = _mm_add_ps(s, _mm_movehl_ps(s, s));
  s = _mm_add_ss(s, _mm_movehdup_ps(s));
  return _mm_cvtss_f32(s);
}

inline int32_t sum_of(__m256i v) {
  __m128i s = _mm_add_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
  s = _mm_add_epi32(s, _mm_shuffle_epi32(s, 0x4E));
  s = _mm_add_epi32(s, _mm_shuffle_epi32(s, 0xB1));
  return _mm_cvtsi128_si32(s);
}

// A mask for the first `count` (0 … 7) lanes of a tail.
inline __m256i first_lanes(size_t count) {
  const __m256i index = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(count)), index);
}

inline float dot(const float* a, const float* b, size_t dim) {
  // Four sums hide the latency of the fused multiply-add.
  __m256 s0 = _mm256_setzero_ps();
  __m256 s1 = s0;
  __m256 s2 = s0;
  __m256 s3 = s0;
  size_t i = 0;
  for (; i + 32 <= dim; i += 32) {
    s0 = _mm256_fmadd_ps(_mm256_loadu_ps(a + i), _mm256_loadu_ps(b + i), s0);
    s1 = _mm256_fmadd_ps(_mm256_loadu_ps(a + i + 8), _mm256_loadu_ps(b + i + 8), s1);
    s2 = _mm256_fmadd_ps(_mm256_loadu_ps(a + i + 16), _mm256_loadu_ps(b + i + 16), s2);
    s3 = _mm256_fmadd_ps(_mm256_loadu_ps(a + i + 24), _mm256_loadu_ps(b + i + 24), s3);
  }
  for (; i + 8 <= dim; i += 8) {
    s0 = _mm256_fmadd_ps(_mm256_loadu_ps(a + i), _mm256_loadu_ps(b + i), s0);
  }
  if (i < dim) {
    const __m256i mask = first_lanes(dim - i);
    s1 = _mm256_fmadd_ps(_mm256_maskload_ps(a + i, mask), _mm256_maskload_ps(b + i, mask), s1);
  }
  return sum_of(_mm256_add_ps(_mm256_add_ps(s0, s1), _mm256_add_ps(s2, s3)));
}

inline __m256i load_16_bytes(const int8_t* p) {
  return _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
}

inline int32_t dot(const int8_t* a, const int8_t* b, size_t dim) {
  __m256i s0 = _mm256_setzero_si256();
  __m256i s1 = s0;
  size_t i = 0;
  for (; i + 32 <= dim; i += 32) {
    s0 = _mm256_add_epi32(s0, _mm256_madd_epi16(load_16_bytes(a + i), load_16_bytes(b + i)));
    s1 = _mm256_add_epi32(s1,
                          _mm256_madd_epi16(load_16_bytes(a + i + 16), load_16_bytes(b + i + 16)));
  }
  for (; i + 16 <= dim; i += 16) {
    s0 = _mm256_add_epi32(s0, _mm256_madd_epi16(load_16_bytes(a + i), load_16_bytes(b + i)));
  }
  int32_t sum = sum_of(_mm256_add_epi32(s0, s1));
  for (; i < dim; ++i) sum += int32_t{a[i]} * int32_t{b[i]};
  return sum;
}

}  // namespace

float avx2_dot_f32(const float* a, const float* b, size_t dim) { return dot(a, b, dim); }

int32_t avx2_dot_i8(const int8_t* a, const int8_t* b, size_t dim) { return dot(a, b, dim); }

void avx2_scan_f32(const float* rows, size_t count, size_t dim, const float* query, float* scores) {
  for (size_t r = 0; r < count; ++r) scores[r] = dot(rows + r * dim, query, dim);
}

void avx2_scan_i8(const int8_t* rows, size_t count, size_t dim, const int8_t* query,
                  int32_t* scores) {
  for (size_t r = 0; r < count; ++r) scores[r] = dot(rows + r * dim, query, dim);
}

}  // namespace lore::simd
