// What this processor can do, as far as the kernel tables care.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lore::simd {

/// The instruction-set levels that a kernel table can be built for, weakest first. A table may
/// still look at the finer features below.
enum class Level { scalar, sse41, avx2, avxvnni, avx512, amx, neon };

/// Read with CPUID and XGETBV (Intel SDM volume 2, AMD APM volume 3), on ARM from Linux's auxiliary
/// vector (its Documentation/arm64/elf_hwcaps). Those of the other architecture are false.
struct CpuFeatures {
  bool sse41 = false;     ///< SSSE3 and SSE4.1
  bool avx2 = false;      ///< AVX2, FMA and F16C, and the system saves the registers
  bool avx_vnni = false;  ///< 256-bit VEX dot products of bytes
  bool avx512 = false;    ///< F, BW, DQ, VL, and the system saves the registers
  bool avx512_vnni = false;
  bool avx512_bf16 = false;
  bool amx = false;  ///< AMX-TILE, AMX-INT8 and AMX-BF16, and the system granted the tile state
  bool neon = false;
  bool neon_dotprod = false;  ///< dot products of bytes (FEAT_DotProd)
  bool neon_i8mm = false;     ///< matrix products of bytes (FEAT_I8MM), and dotprod

  bool has(Level level) const noexcept;
  /// The widest level that the processor has.
  Level best() const noexcept;
};

/// Detects the features; asks Linux for the AMX tile state (arch_prctl) on the first call, which
/// holds for the whole process.
CpuFeatures detect_cpu_features();

std::string_view level_name(Level level) noexcept;

/// The level that `name` asks for: "auto" gives the best one.
/// Throws Error{invalid_argument} for an unknown name and Error{unsupported} for a level that this
/// processor or this version of lore lacks.
Level choose_level(const CpuFeatures& features, std::string_view name);

/// All levels that this processor has, weakest first.
std::vector<Level> available_levels(const CpuFeatures& features);

}  // namespace lore::simd
