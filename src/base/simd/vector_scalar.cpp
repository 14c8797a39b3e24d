// The reference that the other units are tested against.
#include "base/simd/vector_kernels.hpp"

namespace lore::simd {

float scalar_dot_f32(const float* a, const float* b, size_t dim) {
  // Double keeps the reference far more exact than what it judges.
  double sum = 0;
  for (size_t i = 0; i < dim; ++i) sum += double{a[i]} * double{b[i]};
  return static_cast<float>(sum);
}

void scalar_scan_f32(const float* rows, size_t count, size_t dim, const float* query,
                     float* scores) {
  for (size_t r = 0; r < count; ++r) scores[r] = scalar_dot_f32(rows + r * dim, query, dim);
}

}  // namespace lore::simd
