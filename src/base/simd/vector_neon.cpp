// For ARMv8, whose baseline has all that is used here. Only intrinsics and fixed-width types.
#include <arm_neon.h>

#include "base/simd/vector_kernels.hpp"

namespace lore::simd {
namespace {

inline float dot(const float* a, const float* b, size_t dim) {
  // Four sums hide the latency of the fused multiply-add.
  float32x4_t s0 = vdupq_n_f32(0);
  float32x4_t s1 = s0;
  float32x4_t s2 = s0;
  float32x4_t s3 = s0;
  size_t i = 0;
  for (; i + 16 <= dim; i += 16) {
    s0 = vfmaq_f32(s0, vld1q_f32(a + i), vld1q_f32(b + i));
    s1 = vfmaq_f32(s1, vld1q_f32(a + i + 4), vld1q_f32(b + i + 4));
    s2 = vfmaq_f32(s2, vld1q_f32(a + i + 8), vld1q_f32(b + i + 8));
    s3 = vfmaq_f32(s3, vld1q_f32(a + i + 12), vld1q_f32(b + i + 12));
  }
  for (; i + 4 <= dim; i += 4) s0 = vfmaq_f32(s0, vld1q_f32(a + i), vld1q_f32(b + i));
  float tail = 0;
  for (; i < dim; ++i) tail += a[i] * b[i];
  return vaddvq_f32(vaddq_f32(vaddq_f32(s0, s1), vaddq_f32(s2, s3))) + tail;
}

}  // namespace

float neon_dot_f32(const float* a, const float* b, size_t dim) { return dot(a, b, dim); }

void neon_scan_f32(const float* rows, size_t count, size_t dim, const float* query, float* scores) {
  for (size_t r = 0; r < count; ++r) scores[r] = dot(rows + r * dim, query, dim);
}

}  // namespace lore::simd
