// Products of quantized weights and 8-bit activations, both regimes, for any format. The sequence
// of float operations of an output element is that of add_group, group after group, everywhere.
// Included after the vec.hpp of an instruction set.
#pragma once

#include "engine/backend/cpu/kernels/common/formats_inl.hpp"
#include "engine/backend/cpu/kernels/common/parts.hpp"
#include "engine/backend/cpu/kernels/common/results_inl.hpp"
#include "engine/backend/cpu/kernels/kernel_table.hpp"

namespace lore::engine::cpu {
namespace {

/// Values of k that `many` unpacks at a time: two panels of it and a tile of activations stay in
/// the first-level cache.
constexpr std::size_t kChunkGroups = 16;
constexpr std::size_t kChunkPanels = 2;
/// Rows that `few` prepares at a time, and how far ahead it asks memory for weights.
constexpr std::size_t kFewBlock = 16;
constexpr std::size_t kPrefetchBytes = 4096;
/// Rows whose corrections `many` prepares at a time, and that it takes through all of k before it
/// turns to the next rows.
constexpr std::size_t kCorrectionRows = 32;
constexpr std::size_t kBlockRows = 256;

/// The activations of a tile: row r stands 8 * eighths[r] bytes after `values`, its scales
/// eighths[r] bytes after `scales`, and its corrections (below) kHalves * eighths[r] bytes after
/// `corrections`: a row of int8 is 8 times as long as its scales, so one index serves all three.
template <std::size_t kRows>
struct ActivationTile {
  const std::int8_t* values;
  const std::uint8_t* scales;
  const std::uint8_t* corrections;
  std::size_t eighths[kRows];
};

/// What the sums of the activations contribute to each group. Symmetric formats: -offset * sum, an
/// int32 that the dot product starts from. Others: scale * sum, a float that meets the minimum.
/// Fills the groups [begin, end) of `rows` rows, each row as long as its int32 sums would be for
/// kHalves values a group.
template <typename F>
void prepare_corrections(const Activations& a, std::size_t row, std::size_t rows, std::size_t begin,
                         std::size_t end, std::uint8_t* out) {
  const std::size_t groups = a.k / kActivationGroup;
  constexpr int kOffset = kSignedBytes && F::kMostCode == 255 ? 0 : F::kOffset;
  for (std::size_t r = 0; r < rows; ++r) {
    const std::int32_t* __restrict sums = a.sums + (row + r) * groups * 2;
    const float* __restrict scales = a.scales + (row + r) * groups;
    std::uint8_t* to = out + r * groups * F::kHalves * 4;
    auto* __restrict floats = reinterpret_cast<float*>(to);
    auto* __restrict ints = reinterpret_cast<std::int32_t*>(to);
    for (std::size_t g = begin; g < end; ++g) {
      const std::int32_t first = sums[2 * g];
      const std::int32_t second = sums[2 * g + 1];
      if constexpr (F::kMinimum && F::kHalves == 1) {
        floats[g] = scales[g] * static_cast<float>(first + second);
      } else if constexpr (F::kMinimum) {
        floats[2 * g] = scales[g] * static_cast<float>(first);
        floats[2 * g + 1] = scales[g] * static_cast<float>(second);
      } else if constexpr (F::kHalves == 1) {
        ints[g] = -kOffset * (first + second);
      } else {
        ints[2 * g] = -kOffset * first;
        ints[2 * g + 1] = -kOffset * second;
      }
    }
  }
}

template <std::size_t kRows>
LORE_INLINE ActivationTile<kRows> activation_tile(const Activations& a, std::size_t row,
                                                  const std::uint8_t* corrections) {
  ActivationTile<kRows> tile;
  tile.values = a.q8 + row * a.k;
  tile.scales = reinterpret_cast<const std::uint8_t*>(a.scales + row * (a.k / kActivationGroup));
  tile.corrections = corrections;
  LORE_UNROLL
  for (std::size_t r = 0; r < kRows; ++r) {
    tile.eighths[r] = r * (a.k / 8);
    if (r > 0) hide(tile.eighths[r]);
  }
  return tile;
}

/// Adds group `g` of the activations times the codes and scales of 16 weight rows.
template <typename S, std::size_t kRows, typename Codes>
LORE_INLINE void add_group(Codes codes, const GroupScales<S>& weights,
                           const ActivationTile<kRows>& tile, std::size_t g, Floats* acc) {
  constexpr std::size_t kSteps = kGroupSteps / S::kHalves;
  const std::int8_t* values = tile.values + g * kActivationGroup;
  const std::uint8_t* scales = tile.scales + g * 4;
  const std::uint8_t* corrections = tile.corrections + g * 4 * S::kHalves;
  hide(values);
  hide(scales);
  hide(corrections);
  Floats partial[kRows];
  unroll<S::kHalves>([&](auto half) LORE_INLINE_LAMBDA {
    constexpr std::size_t kHalf = half.value;
    Ints sums[kRows];
    LORE_UNROLL
    for (std::size_t r = 0; r < kRows; ++r) {
      sums[r] = S::kMinimum ? broadcast(std::int32_t{0})
                            : broadcast_int(corrections + S::kHalves * tile.eighths[r] + 4 * kHalf);
    }
    dot_steps<kRows, kSteps, S::kMostCode>(
        [&](auto step) LORE_INLINE_LAMBDA { return codes(Index<step.value + kHalf * kSteps>{}); },
        values + kHalf * 16, tile.eighths, sums);
    LORE_UNROLL
    for (std::size_t r = 0; r < kRows; ++r) {
      const Floats dot = to_floats(sums[r]);
      if constexpr (S::kHalves == 1) {
        const Floats scale = multiply(weights.scale[0], broadcast_float(scales + tile.eighths[r]));
        acc[r] = fused(dot, scale, acc[r]);
      } else if constexpr (kHalf == 0) {
        partial[r] = multiply(dot, weights.scale[0]);
      } else {
        partial[r] = fused(dot, weights.scale[1], partial[r]);
        acc[r] = fused(partial[r], broadcast_float(scales + tile.eighths[r]), acc[r]);
      }
    }
  });
  if constexpr (S::kMinimum) {
    LORE_UNROLL
    for (std::size_t r = 0; r < kRows; ++r) {
      const std::uint8_t* place = corrections + S::kHalves * tile.eighths[r];
      acc[r] = fused(weights.minimum[0], broadcast_float(place), acc[r]);
      if constexpr (S::kHalves == 2) {
        acc[r] = fused(weights.minimum[1], broadcast_float(place + 4), acc[r]);
      }
    }
  }
}

// ---- many ----

/// A group of a panel, unpacked: 8 steps of codes, then scales and minimums.
template <typename F>
struct UnpackedGroup {
  static constexpr std::size_t kScales = kGroupSteps * kLine;
  static constexpr std::size_t kMinimums = kScales + F::kHalves * kLine;
  static constexpr std::size_t kBytes = kMinimums + (F::kMinimum ? F::kHalves * kLine : 0);
};

template <typename F>
LORE_INLINE void unpack_chunk(const std::uint8_t* panel, std::size_t begin, std::size_t end,
                              std::uint8_t* out) {
  for (std::size_t g = begin; g < end; ++g) {
    const GroupPlace place = find_group<F>(panel, g);
    unroll<kGroupSteps>([&](auto step) LORE_INLINE_LAMBDA {
      store_bytes(out + step.value * kLine, load_step<F, step.value>(place.codes));
    });
    const GroupScales<F> scales = load_scales<F>(place);
    for (std::size_t h = 0; h < F::kHalves; ++h) {
      store_floats(out + UnpackedGroup<F>::kScales + h * kLine, scales.scale[h]);
      if constexpr (F::kMinimum) {
        store_floats(out + UnpackedGroup<F>::kMinimums + h * kLine, scales.minimum[h]);
      }
    }
    out += UnpackedGroup<F>::kBytes;
  }
}

template <typename F>
LORE_INLINE void multiply_chunk(const MatmulTask& task, const UnpackedChunk& chunk, std::size_t row,
                                std::size_t rows) {
  if constexpr (F::kHalves == 1 && F::kMinimum) {
    LORE_ISA::chunk_minimum32(task, chunk, row, rows);
  } else if constexpr (F::kMinimum) {
    LORE_ISA::chunk_minimum16(task, chunk, row, rows);
  } else if constexpr (F::kHalves == 2) {
    LORE_ISA::chunk_symmetric16(task, chunk, row, rows);
  } else if constexpr (F::kMostCode == 255) {
    LORE_ISA::chunk_bytes32(task, chunk, row, rows);
  } else {
    LORE_ISA::chunk_symmetric32(task, chunk, row, rows);
  }
}

/// Two panels (or one) from `panel` times the rows [row_begin, row_end), at most kBlockRows.
template <typename F>
void multiply_block(const MatmulTask& task, std::size_t panel, std::size_t panels,
                    std::size_t row_begin, std::size_t row_end) {
  const PackedMatrix& weights = *task.weights;
  const std::size_t groups = weights.k / kActivationGroup;
  const std::size_t chunks = (groups + kChunkGroups - 1) / kChunkGroups;
  constexpr std::size_t kPanelScratch = kChunkGroups * UnpackedGroup<F>::kBytes;
  auto* sums = reinterpret_cast<float*>(task.scratch);
  std::uint8_t* unpacked = task.scratch + kChunkPanels * kBlockRows * kLine;
  std::uint8_t* corrections = unpacked + kChunkPanels * kPanelScratch;
  for (std::size_t c = 0; c < chunks; ++c) {
    // Chunks of about equal length.
    const std::size_t begin = groups * c / chunks;
    const std::size_t end = groups * (c + 1) / chunks;
    for (std::size_t i = 0; i < panels; ++i) {
      unpack_chunk<F>(weights.data + (panel + i) * weights.panel_bytes, begin, end,
                      unpacked + i * kPanelScratch);
    }
    for (std::size_t row = row_begin; row < row_end; row += kCorrectionRows) {
      const std::size_t left = row_end - row;
      const std::size_t rows = left < kCorrectionRows ? left : kCorrectionRows;
      prepare_corrections<F>(*task.activations, row, rows, begin, end, corrections);
      for (std::size_t i = 0; i < panels; ++i) {
        float* block_sums = sums + (i * kBlockRows + row - row_begin) * kPanelRows;
        const UnpackedChunk chunk{
            unpacked + i * kPanelScratch, corrections, block_sums, panel + i, begin, end};
        multiply_chunk<F>(task, chunk, row, rows);
      }
    }
  }
}

template <typename F>
void quantized_many(const MatmulTask& task) {
  for (std::size_t p = task.panel_begin; p < task.panel_end; p += kChunkPanels) {
    const std::size_t panels_left = task.panel_end - p;
    const std::size_t panels = panels_left < kChunkPanels ? panels_left : kChunkPanels;
    for (std::size_t row = task.row_begin; row < task.row_end; row += kBlockRows) {
      const std::size_t rows_left = task.row_end - row;
      multiply_block<F>(task, p, panels, row,
                        row + (rows_left < kBlockRows ? rows_left : kBlockRows));
    }
  }
}

// ---- few ----

/// Multiplies a whole panel, unpacking it in registers, with a tile of rows.
template <typename F, std::size_t kRows>
void multiply_panel(const MatmulTask& task, std::size_t panel, std::size_t row,
                    const std::uint8_t* corrections) {
  const PackedMatrix& weights = *task.weights;
  const std::size_t groups = weights.k / kActivationGroup;
  const std::uint8_t* data = weights.data + panel * weights.panel_bytes;
  const auto tile = activation_tile<kRows>(*task.activations, row, corrections);
  constexpr std::size_t kBytes = F::kLayout.bytes / F::kLayout.groups;  // of memory per group
  Floats acc[kRows];
  for (std::size_t r = 0; r < kRows; ++r) acc[r] = zero_floats();
  for (std::size_t g = 0; g < groups; ++g) {
    const GroupPlace place = find_group<F>(data, g);
    for (std::size_t i = 0; i < kBytes; i += kLine) {
      prefetch(data + g * kBytes + kPrefetchBytes + i);
    }
    const GroupScales<F> scales = load_scales<F>(place);
    add_group<F, kRows>([&](auto step)
                            LORE_INLINE_LAMBDA { return load_step<F, step.value>(place.codes); },
                        scales, tile, g, acc);
  }
  store_results<kRows>(task, row, panel * kPanelRows, acc, true);
}

template <typename F>
void quantized_few(const MatmulTask& task) {
  const std::size_t groups = task.weights->k / kActivationGroup;
  const std::size_t row_bytes = groups * F::kHalves * 4;
  for (std::size_t begin = task.row_begin; begin < task.row_end; begin += kFewBlock) {
    const std::size_t left = task.row_end - begin;
    const std::size_t end = begin + (left < kFewBlock ? left : kFewBlock);
    prepare_corrections<F>(*task.activations, begin, end - begin, 0, groups, task.scratch);
    for (std::size_t p = task.panel_begin; p < task.panel_end; ++p) {
      // Tiles of kFewRows, …, 2, 1: the panel comes from memory once, then from the cache.
      std::size_t row = begin;
      const auto run = [&](auto rows) {
        while (row + rows.value <= end) {
          const std::uint8_t* corrections = task.scratch + (row - begin) * row_bytes;
          multiply_panel<F, rows.value>(task, p, row, corrections);
          row += rows.value;
        }
      };
      if constexpr (kFewRows >= 8) run(Index<8>{});
      if constexpr (kFewRows >= 4) run(Index<4>{});
      if constexpr (kFewRows >= 2) run(Index<2>{});
      run(Index<1>{});
    }
  }
}

}  // namespace
}  // namespace lore::engine::cpu
