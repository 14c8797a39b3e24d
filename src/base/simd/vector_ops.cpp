#include "base/simd/vector_ops.hpp"

#include "base/simd/vector_kernels.hpp"

namespace lore::simd {
namespace {

constexpr VectorTable kScalar = {Level::scalar, scalar_dot_f32, scalar_scan_f32};
#if defined(__x86_64__)
constexpr VectorTable kSse41 = {Level::sse41, sse41_dot_f32, sse41_scan_f32};
constexpr VectorTable kAvx2 = {Level::avx2, avx2_dot_f32, avx2_scan_f32};
constexpr VectorTable kAvx512 = {Level::avx512, avx512_dot_f32, avx512_scan_f32};
#elif defined(__aarch64__)
constexpr VectorTable kNeon = {Level::neon, neon_dot_f32, neon_scan_f32};
#endif

}  // namespace

const VectorTable& vector_table(Level level) noexcept {
#if defined(__x86_64__)
  switch (level) {
    case Level::scalar:
    case Level::neon:
      return kScalar;
    case Level::sse41:
      return kSse41;
    case Level::avx2:
    case Level::avxvnni:  // a scan is bound by memory before it is by products of bytes
      return kAvx2;
    case Level::avx512:
    case Level::amx:
      return kAvx512;
  }
#elif defined(__aarch64__)
  if (level == Level::neon) return kNeon;
#else
  (void)level;
#endif
  return kScalar;
}

const VectorTable& best_vector_table() noexcept {
  static const VectorTable& table = vector_table(detect_cpu_features().best());
  return table;
}

}  // namespace lore::simd
