#include "base/simd/scan_ops.hpp"

#include "base/simd/scan_kernels.hpp"

namespace lore::simd {
namespace {

constexpr ScanTable kScalar = {Level::scalar, "scalar", scalar_dots_i8_i16};
#if defined(__x86_64__)
constexpr ScanTable kAvx2 = {Level::avx2, "avx2", avx2_dots_i8_i16};
constexpr ScanTable kAvx512 = {Level::avx512, "avx512", avx512_dots_i8_i16};
constexpr ScanTable kAvx512Vnni = {Level::avx512, "avx512vnni", avx512vnni_dots_i8_i16};
#endif

}  // namespace

const ScanTable& scan_table(const CpuFeatures& features, Level level) noexcept {
#if defined(__x86_64__)
  switch (level) {
    case Level::avx2:
    case Level::avxvnni:  // the byte products of this level want an unsigned side
      return kAvx2;
    case Level::avx512:
    case Level::amx:
      return features.avx512_vnni ? kAvx512Vnni : kAvx512;
    default:  // the compiler makes of the plain loop what every processor of the kind has
      return kScalar;
  }
#else
  (void)features;
  (void)level;
  return kScalar;
#endif
}

const ScanTable& best_scan_table() noexcept {
  static const ScanTable& table = [&]() -> const ScanTable& {
    const CpuFeatures features = detect_cpu_features();
    return scan_table(features, features.best());
  }();
  return table;
}

}  // namespace lore::simd
