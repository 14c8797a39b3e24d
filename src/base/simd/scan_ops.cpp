#include "base/simd/scan_ops.hpp"

#include "base/simd/scan_kernels.hpp"

namespace lore::simd {
namespace {

constexpr ScanTable kScalar = {Level::scalar, "scalar", scalar_coarse_dots, scalar_fine_dot};
#if defined(__x86_64__)
constexpr ScanTable kAvx2 = {Level::avx2, "avx2", avx2_coarse_dots, avx2_fine_dot};
constexpr ScanTable kAvx512 = {Level::avx512, "avx512", avx512_coarse_dots, avx512_fine_dot};
constexpr ScanTable kAvx512Vnni = {Level::avx512, "avx512vnni", avx512vnni_coarse_dots,
                                   avx512vnni_fine_dot};
#endif

}  // namespace

const ScanTable& scan_table(const CpuFeatures& features, Level level) noexcept {
#if defined(__x86_64__)
  switch (level) {
    case Level::avx2:
    case Level::avxvnni:  // waits for memory as it is
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
