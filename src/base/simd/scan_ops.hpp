// Scans of int8 rows against a query of int16: what an exact search spends its time on.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/simd/cpu_features.hpp"

namespace lore::simd {

/// Rows lie this many bytes apart, or a multiple of it: no kernel has a tail.
inline constexpr std::size_t kScanStride = 64;

/// The operation in one instruction set. Results are equal everywhere.
///
/// A query of 16 bits costs no more than one of 8, since a scan waits for memory: only the rows'
/// own rounding is left between a score and the truth.
///
/// Thread safety: stateless; any thread.
struct ScanTable {
  Level level;
  const char* name;  ///< the level's, or a finer one ("avx512vnni")
  /// dots[r] = sum over i of rows[r * stride + i] * query[i]. rows: [count, stride], row-major;
  /// query: [stride]; dots: [count]. stride: a multiple of kScanStride. No sum of magnitudes
  /// 128 * |query[i]| may exceed 2^31 - 1. Pointers may have any alignment that their type allows;
  /// kernels may prefetch behind the rows, but read nothing there.
  void (*dots_i8_i16)(const std::int8_t* rows, std::size_t count, std::size_t stride,
                      const std::int16_t* query, std::int32_t* dots);
};

/// The table for `level`; a level without one of its own takes the widest below it. The processor
/// must have the level, and `features` tell what else it has.
const ScanTable& scan_table(const CpuFeatures& features, Level level) noexcept;

/// The widest table that this processor can run; detected once.
const ScanTable& best_scan_table() noexcept;

}  // namespace lore::simd
