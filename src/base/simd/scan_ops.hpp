// Scans of 8-bit codes that are stored as two halves of 4 bits: what an exact search spends its
// time on.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/simd/cpu_features.hpp"

namespace lore::simd {

/// Rows of nibbles are this many bytes long, or a multiple of it: no kernel has a tail.
inline constexpr std::size_t kScanBytes = 64;

/// The operations in one instruction set. A row of `2 * bytes` codes c in [-128, 127] lies in two
/// places: the high nibbles of c + 128 in one, the low nibbles in the other. Byte i of either holds
/// the nibble of code i (its lower half) and that of code bytes + i (its upper half). Results are
/// equal everywhere.
///
/// Thread safety: stateless; any thread.
struct ScanTable {
  Level level;
  const char* name;  ///< the level's, or a finer one ("avx512vnni")
  /// dots[r] = sum over i of nibble i of row r times query[i]. rows: [count, bytes], row-major;
  /// query: [2 * bytes], in [-127, 127]; dots: [count]. bytes: a multiple of kScanBytes, at most
  /// 2^16. Asks for memory behind the rows ahead of time, but reads nothing there.
  void (*coarse_dots)(const std::uint8_t* rows, std::size_t count, std::size_t bytes,
                      const std::int8_t* query, std::int32_t* dots);
  /// Sum over i of code i times query[i]. high, low: [bytes]; query: [2 * bytes]. The sum of
  /// 128 * |query[i]| must fit an int32. bytes: a multiple of kScanBytes.
  std::int32_t (*fine_dot)(const std::uint8_t* high, const std::uint8_t* low, std::size_t bytes,
                           const std::int16_t* query);
};

/// The table for `level`; a level without one of its own takes the widest below it. The processor
/// must have the level, and `features` tell what else it has.
const ScanTable& scan_table(const CpuFeatures& features, Level level) noexcept;

/// The widest table that this processor can run; detected once.
const ScanTable& best_scan_table() noexcept;

}  // namespace lore::simd
