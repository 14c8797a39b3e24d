// What all products share: walking over rows in register tiles and writing their results.
// Included after the vec.hpp of an instruction set.
#pragma once

#include "engine/backend/cpu/kernels/common/unroll.hpp"
#include "engine/backend/cpu/kernels/kernel_table.hpp"

namespace lore::engine::cpu {
namespace {

constexpr std::size_t kLine = 64;
/// How far ahead of their use weights are asked for: from memory into the second-level cache, and
/// from there into the first. Either alone leaves a sixth of the bandwidth.
constexpr std::size_t kFarBytes = 12288;
constexpr std::size_t kNearBytes = 1024;

/// Asks for a line of the stream of weights that stands at `line` now.
LORE_INLINE void ask_ahead(const std::uint8_t* line) {
  prefetch_far(line + kFarBytes);
  prefetch(line + kNearBytes);
}

/// Columns of a panel that exist.
LORE_INLINE std::size_t columns_from(const MatmulTask& task, std::size_t column) {
  const std::size_t left = task.weights->n - column;
  return left < kPanelRows ? left : kPanelRows;
}

/// Writes a tile's sums to columns [column, column + 16) of the rows from `row`; with the bias when
/// they are complete.
template <std::size_t kRows>
LORE_INLINE void store_results(const MatmulTask& task, std::size_t row, std::size_t column,
                               const Floats* acc, bool complete) {
  const std::size_t count = columns_from(task, column);
  const bool with_bias = complete && task.bias != nullptr;
  const Floats bias = with_bias ? load_part(task.bias + column, count) : zero_floats();
  LORE_UNROLL
  for (std::size_t r = 0; r < kRows; ++r) {
    float* to = task.out + (row + r) * task.out_stride + column;
    const Floats value = with_bias ? add(acc[r], bias) : acc[r];
    if (count == kPanelRows) {
      store(to, value);
    } else {
      store_part(to, value, count);
    }
  }
}

/// Reads back what store_results wrote.
template <std::size_t kRows>
LORE_INLINE void load_results(const MatmulTask& task, std::size_t row, std::size_t column,
                              Floats* acc) {
  const std::size_t count = columns_from(task, column);
  LORE_UNROLL
  for (std::size_t r = 0; r < kRows; ++r) {
    const float* from = task.out + (row + r) * task.out_stride + column;
    acc[r] = count == kPanelRows ? load(from) : load_part(from, count);
  }
}

/// Calls body(Index<rows of the tile>{}, first row) over [begin, end): tiles of kMost rows, then of
/// 8, 4, 2 and 1.
template <std::size_t kMost, typename Body>
LORE_INLINE void for_row_tiles(std::size_t begin, std::size_t end, Body body) {
  const auto run = [&](auto rows) LORE_INLINE_LAMBDA {
    for (; begin + rows.value <= end; begin += rows.value) body(rows, begin);
  };
  run(Index<kMost>{});
  if constexpr (kMost > 8) run(Index<8>{});
  if constexpr (kMost > 4) run(Index<4>{});
  if constexpr (kMost > 2) run(Index<2>{});
  if constexpr (kMost > 1) run(Index<1>{});
}

}  // namespace
}  // namespace lore::engine::cpu
