// Compiled with -mavx512f -mavx512bw -mavx512dq -mavx512vl -mfma. Only intrinsics and fixed-width
// types.
#include <immintrin.h>

#include "base/simd/vector_kernels.hpp"

namespace lore::simd {
namespace {

// Halves are taken with a full mask: the other forms leave a register undefined,
// and GCC 12 warns of it.
inline float sum_of(__m512 v) {
  const __m256 halves = _mm256_add_ps(_mm512_maskz_extractf32x8_ps(0xFF, v, 0),
                                      _mm512_maskz_extractf32x8_ps(0xFF, v, 1));
  __m128 s = _mm_add_ps(_mm256_castps256_ps128(halves), _mm256_extractf128_ps(halves, 1));
  s = _mm_add_ps(s, _mm_movehl_ps(s, s));
  s = _mm_add_ss(s, _mm_movehdup_ps(s));
  return _mm_cvtss_f32(s);
}

inline float dot(const float* a, const float* b, size_t dim) {
  // Four sums hide the latency of the fused multiply-add.
  __m512 s0 = _mm512_setzero_ps();
  __m512 s1 = s0;
  __m512 s2 = s0;
  __m512 s3 = s0;
  size_t i = 0;
  for (; i + 64 <= dim; i += 64) {
    s0 = _mm512_fmadd_ps(_mm512_loadu_ps(a + i), _mm512_loadu_ps(b + i), s0);
    s1 = _mm512_fmadd_ps(_mm512_loadu_ps(a + i + 16), _mm512_loadu_ps(b + i + 16), s1);
    s2 = _mm512_fmadd_ps(_mm512_loadu_ps(a + i + 32), _mm512_loadu_ps(b + i + 32), s2);
    s3 = _mm512_fmadd_ps(_mm512_loadu_ps(a + i + 48), _mm512_loadu_ps(b + i + 48), s3);
  }
  for (; i + 16 <= dim; i += 16) {
    s0 = _mm512_fmadd_ps(_mm512_loadu_ps(a + i), _mm512_loadu_ps(b + i), s0);
  }
  if (i < dim) {
    const __mmask16 mask = static_cast<__mmask16>((1U << (dim - i)) - 1U);
    s1 =
        _mm512_fmadd_ps(_mm512_maskz_loadu_ps(mask, a + i), _mm512_maskz_loadu_ps(mask, b + i), s1);
  }
  return sum_of(_mm512_add_ps(_mm512_add_ps(s0, s1), _mm512_add_ps(s2, s3)));
}

}  // namespace

float avx512_dot_f32(const float* a, const float* b, size_t dim) { return dot(a, b, dim); }

void avx512_scan_f32(const float* rows, size_t count, size_t dim, const float* query,
                     float* scores) {
  for (size_t r = 0; r < count; ++r) scores[r] = dot(rows + r * dim, query, dim);
}

}  // namespace lore::simd
