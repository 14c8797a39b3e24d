#include "base/simd/cpu_features.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

#include <array>
#include <cstdint>

#include "lore/error.hpp"

namespace lore::simd {
namespace {

constexpr std::array kLevels = {Level::scalar, Level::sse41, Level::avx2, Level::avxvnni,
                                Level::avx512, Level::amx,   Level::neon};

#if defined(__x86_64__)

std::uint64_t enabled_register_state() {
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (std::uint64_t{high} << 32) | low;
}

// Linux hands out the 8 KiB of tile state only to processes that ask (since 5.16).
bool request_tile_state() {
  constexpr long kArchRequestPermission = 0x1023;
  constexpr long kTileData = 18;
  return syscall(SYS_arch_prctl, kArchRequestPermission, kTileData) == 0;
}

constexpr bool bit(std::uint32_t word, unsigned index) { return ((word >> index) & 1U) != 0; }

#endif

}  // namespace

CpuFeatures detect_cpu_features() {
  CpuFeatures features;
#if defined(__x86_64__)
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  std::uint32_t c = 0;
  std::uint32_t d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0) return features;
  features.sse41 = bit(c, 9) && bit(c, 19);
  const bool fma = bit(c, 12);
  const bool f16c = bit(c, 29);
  if (!bit(c, 27)) return features;  // OSXSAVE: the system manages extended registers
  const std::uint64_t state = enabled_register_state();
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return features;
  const bool ymm = (state & 0x6) == 0x6;
  const bool zmm = (state & 0xE6) == 0xE6;
  features.avx2 = ymm && fma && f16c && bit(b, 5);
  features.avx512 = features.avx2 && zmm && bit(b, 16) && bit(b, 17) && bit(b, 30) && bit(b, 31);
  features.avx512_vnni = features.avx512 && bit(c, 11);
  const bool tiles = bit(d, 22) && bit(d, 24) && bit(d, 25) && (state & 0x60000) == 0x60000;
  if (__get_cpuid_count(7, 1, &a, &b, &c, &d) != 0) {
    features.avx_vnni = features.avx2 && bit(a, 4);
    features.avx512_bf16 = features.avx512 && bit(a, 5);
  }
  features.amx = features.avx512_vnni && features.avx512_bf16 && tiles && request_tile_state();
#elif defined(__aarch64__)
  const unsigned long have = getauxval(AT_HWCAP);
  const unsigned long have2 = getauxval(AT_HWCAP2);
  features.neon = (have & HWCAP_ASIMD) != 0;
  features.neon_dotprod = features.neon && (have & HWCAP_ASIMDDP) != 0;
  features.neon_i8mm = features.neon_dotprod && (have2 & HWCAP2_I8MM) != 0;
#endif
  return features;
}

bool CpuFeatures::has(Level level) const noexcept {
  switch (level) {
    case Level::scalar:
      return true;
    case Level::sse41:
      return sse41;
    case Level::avx2:
      return avx2;
    case Level::avxvnni:
      return avx_vnni;
    case Level::avx512:
      return avx512;
    case Level::amx:
      return amx;
    case Level::neon:
      return neon;
  }
  return false;
}

Level CpuFeatures::best() const noexcept {
  Level best = Level::scalar;
  for (const Level level : kLevels) {
    if (has(level)) best = level;
  }
  return best;
}

std::string_view level_name(Level level) noexcept {
  switch (level) {
    case Level::scalar:
      return "scalar";
    case Level::sse41:
      return "sse41";
    case Level::avx2:
      return "avx2";
    case Level::avxvnni:
      return "avxvnni";
    case Level::avx512:
      return "avx512";
    case Level::amx:
      return "amx";
    case Level::neon:
      return "neon";
  }
  return "";
}

Level choose_level(const CpuFeatures& features, std::string_view name) {
  if (name.empty() || name == "auto") return features.best();
  for (const Level level : kLevels) {
    if (level_name(level) != name) continue;
    if (!features.has(level)) {
      throw Error(ErrorCode::unsupported,
                  "this processor cannot run the " + std::string(name) +
                      " kernels; leave out --kernels to use the " +
                      std::string(level_name(features.best())) + " ones",
                  std::string(name));
    }
    return level;
  }
  std::string choices = "auto";
  for (const Level level : kLevels) choices += ", " + std::string(level_name(level));
  throw Error(ErrorCode::invalid_argument,
              "unknown kernels \"" + std::string(name) + "\"; choose one of: " + choices,
              std::string(name));
}

std::vector<Level> available_levels(const CpuFeatures& features) {
  std::vector<Level> levels;
  for (const Level level : kLevels) {
    if (features.has(level)) levels.push_back(level);
  }
  return levels;
}

}  // namespace lore::simd
