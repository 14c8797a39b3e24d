// Compiled with -msse4.1. Only intrinsics and fixed-width types.
#include <smmintrin.h>

#include "base/simd/vector_kernels.hpp"

namespace lore::simd {
namespace {

inline float sum_of(__m128 s) {
  s = _mm_add_ps(s, _mm_movehl_ps(s, s));
  s = _mm_add_ss(s, _mm_movehdup_ps(s));
  return _mm_cvtss_f32(s);
}

inline __m128 product(const float* a, const float* b) {
  return _mm_mul_ps(_mm_loadu_ps(a), _mm_loadu_ps(b));
}

inline float dot(const float* a, const float* b, size_t dim) {
  // Four sums hide the latency of the addition.
  __m128 s0 = _mm_setzero_ps();
  __m128 s1 = s0;
  __m128 s2 = s0;
  __m128 s3 = s0;
  size_t i = 0;
  for (; i + 16 <= dim; i += 16) {
    s0 = _mm_add_ps(s0, product(a + i, b + i));
    s1 = _mm_add_ps(s1, product(a + i + 4, b + i + 4));
    s2 = _mm_add_ps(s2, product(a + i + 8, b + i + 8));
    s3 = _mm_add_ps(s3, product(a + i + 12, b + i + 12));
  }
  for (; i + 4 <= dim; i += 4) s0 = _mm_add_ps(s0, product(a + i, b + i));
  for (; i < dim; ++i) s1 = _mm_add_ss(s1, _mm_mul_ss(_mm_load_ss(a + i), _mm_load_ss(b + i)));
  return sum_of(_mm_add_ps(_mm_add_ps(s0, s1), _mm_add_ps(s2, s3)));
}

}  // namespace

float sse41_dot_f32(const float* a, const float* b, size_t dim) { return dot(a, b, dim); }

void sse41_scan_f32(const float* rows, size_t count, size_t dim, const float* query,
                    float* scores) {
  for (size_t r = 0; r < count; ++r) scores[r] = dot(rows + r * dim, query, dim);
}

}  // namespace lore::simd
