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
/// Generated rows from which unpacking a panel once for all of them is cheaper than in registers
/// for each tile of them.
constexpr std::size_t kUnpackRows = 5;
/// Rows that `many` takes through all of k before it turns to the next ones.
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
/// int32 that the dot product starts from (above kDotStart, for the dot product that scaled_dot
/// takes). Others: scale * sum, a float that meets the minimum. For all groups of `rows` rows, each
/// as long as its int32 sums would be for kHalves values a group.
template <typename F>
void prepare_corrections(const Activations& a, std::size_t row, std::size_t rows,
                         std::size_t groups, std::uint8_t* out) {
  constexpr int kOffset = kSignedBytes && F::kMostCode == 255 ? 0 : F::kOffset;
  for (std::size_t r = 0; r < rows; ++r) {
    const std::int32_t* __restrict sums = a.sums + (row + r) * groups * 2;
    const float* __restrict scales = a.scales + (row + r) * groups;
    std::uint8_t* to = out + r * groups * F::kHalves * 4;
    auto* __restrict floats = reinterpret_cast<float*>(to);
    auto* __restrict ints = reinterpret_cast<std::int32_t*>(to);
    for (std::size_t g = 0; g < groups; ++g) {
      const std::int32_t first = sums[2 * g];
      const std::int32_t second = sums[2 * g + 1];
      if constexpr (F::kMinimum && F::kHalves == 1) {
        floats[g] = scales[g] * static_cast<float>(first + second);
      } else if constexpr (F::kMinimum) {
        floats[2 * g] = scales[g] * static_cast<float>(first);
        floats[2 * g + 1] = scales[g] * static_cast<float>(second);
      } else if constexpr (F::kHalves == 1) {
        ints[g] = kDotStart - kOffset * (first + second);
      } else {
        ints[2 * g] = kDotStart - kOffset * first;
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

/// The scales of one group of kPanels panels, from wherever they are kept; `shift` is what
/// scaled_dot wants beside a scale.
template <typename S, std::size_t kPanels>
struct PanelScales {
  GroupScales<S> panels[kPanels];

  LORE_INLINE Floats scale(std::size_t p, std::size_t half) const { return panels[p].scale[half]; }
  LORE_INLINE Floats shift(std::size_t p) const { return dot_shift(panels[p].scale[0]); }
  LORE_INLINE Floats minimum(std::size_t p, std::size_t half) const {
    return panels[p].minimum[half];
  }
};

/// Adds group `g` of the activations times the codes and scales of kPanels times 16 weight rows.
/// codes(panel, step) and `weights` are asked in the order in which registers become free.
template <typename S, std::size_t kRows, std::size_t kPanels, typename Codes, typename Scales>
LORE_INLINE void add_group(Codes codes, const Scales& weights, const ActivationTile<kRows>& tile,
                           std::size_t g, Floats (&acc)[kRows][kPanels]) {
  constexpr std::size_t kSteps = kGroupSteps / S::kHalves;
  const std::int8_t* values = tile.values + g * kActivationGroup;
  const std::uint8_t* scales = tile.scales + g * 4;
  const std::uint8_t* corrections = tile.corrections + g * 4 * S::kHalves;
  hide(values);
  hide(scales);
  hide(corrections);
  Floats partial[kRows][kPanels];
  unroll<S::kHalves>([&](auto half) LORE_INLINE_LAMBDA {
    constexpr std::size_t kHalf = half.value;
    Ints sums[kRows][kPanels];
    LORE_UNROLL
    for (std::size_t r = 0; r < kRows; ++r) {
      const Ints start =
          S::kMinimum ? broadcast(kHalf == 0 ? kDotStart : 0)
                      : broadcast_int(corrections + S::kHalves * tile.eighths[r] + 4 * kHalf);
      LORE_UNROLL
      for (std::size_t p = 0; p < kPanels; ++p) sums[r][p] = start;
    }
    const auto half_codes = [&](auto panel, auto step) LORE_INLINE_LAMBDA {
      return codes(panel, Index<step.value + kHalf * kSteps>{});
    };
    if constexpr (kPanels == 1) {
      dot_steps<kRows, kSteps, S::kMostCode>(
          [&](auto step) LORE_INLINE_LAMBDA { return half_codes(Index<0>{}, step); },
          values + kHalf * 16, tile.eighths, &sums[0][0]);
    } else {
      dot_panels<kRows, kPanels, kSteps>(half_codes, values + kHalf * 16, tile.eighths, sums);
    }
    LORE_UNROLL
    for (std::size_t r = 0; r < kRows; ++r) {
      const Floats t = broadcast_float(scales + tile.eighths[r]);
      LORE_UNROLL
      for (std::size_t p = 0; p < kPanels; ++p) {
        if constexpr (kHalf == 0) {
          partial[r][p] = scaled_dot(sums[r][p], weights.scale(p, 0), weights.shift(p));
        } else {
          partial[r][p] = fused(to_floats(sums[r][p]), weights.scale(p, 1), partial[r][p]);
        }
        if constexpr (kHalf + 1 == S::kHalves) acc[r][p] = fused(partial[r][p], t, acc[r][p]);
      }
    }
  });
  if constexpr (S::kMinimum) {
    unroll<S::kHalves>([&](auto half) LORE_INLINE_LAMBDA {
      LORE_UNROLL
      for (std::size_t r = 0; r < kRows; ++r) {
        const Floats sum =
            broadcast_float(corrections + S::kHalves * tile.eighths[r] + 4 * half.value);
        LORE_UNROLL
        for (std::size_t p = 0; p < kPanels; ++p) {
          acc[r][p] = fused(weights.minimum(p, half.value), sum, acc[r][p]);
        }
      }
    });
  }
}

// ---- many ----

/// A group of a panel, unpacked: 8 steps of codes, then scales, shift and minimums.
template <typename F>
struct UnpackedGroup {
  static constexpr std::size_t kScales = kGroupSteps * kLine;
  static constexpr std::size_t kShift = kScales + F::kHalves * kLine;
  static constexpr std::size_t kMinimums = kShift + kLine;
  static constexpr std::size_t kBytes = kMinimums + (F::kMinimum ? F::kHalves * kLine : 0);
  static constexpr std::size_t kPanelBytes = kChunkGroups * kBytes;  // of a chunk
};
/// Of a chunk of the format that takes most: 2 scales and 2 minimums.
constexpr std::size_t kUnpackedBytes = kChunkPanels * kChunkGroups * (kGroupSteps + 5) * kLine;

template <typename F>
LORE_INLINE void unpack_chunk(const std::uint8_t* panel, std::size_t begin, std::size_t end,
                              std::uint8_t* out) {
  constexpr std::size_t kBytes = F::kLayout.bytes / F::kLayout.groups;  // of memory per group
  for (std::size_t g = begin; g < end; ++g) {
    const GroupPlace place = find_group<F>(panel, g);
    for (std::size_t i = 0; i < kBytes; i += kLine) prefetch(place.codes + kNearBytes + i);
    unroll<kGroupSteps>([&](auto step) LORE_INLINE_LAMBDA {
      store_bytes(out + step.value * kLine, load_step<F, step.value>(place.codes));
    });
    const GroupScales<F> scales = load_scales<F>(place);
    store_floats(out + UnpackedGroup<F>::kShift, dot_shift(scales.scale[0]));
    for (std::size_t h = 0; h < F::kHalves; ++h) {
      store_floats(out + UnpackedGroup<F>::kScales + h * kLine, scales.scale[h]);
      if constexpr (F::kMinimum) {
        store_floats(out + UnpackedGroup<F>::kMinimums + h * kLine, scales.minimum[h]);
      }
    }
    out += UnpackedGroup<F>::kBytes;
  }
}

/// Asks for the lines that belong to one group.
LORE_INLINE void fetch(Ahead& ahead) {
  for (std::size_t i = 0; i < ahead.lines && ahead.at < ahead.end; ++i, ahead.at += kLine) {
    prefetch_far(ahead.at);
    prefetch_far(ahead.at + ahead.panel_bytes);
  }
}

template <typename F>
LORE_INLINE void multiply_chunk(const MatmulTask& task, const UnpackedChunk& chunk, std::size_t row,
                                std::size_t rows, Ahead& ahead) {
  if constexpr (F::kHalves == 1 && F::kMinimum) {
    LORE_ISA::chunk_minimum32(task, chunk, row, rows, ahead);
  } else if constexpr (F::kMinimum) {
    LORE_ISA::chunk_minimum16(task, chunk, row, rows, ahead);
  } else if constexpr (F::kHalves == 2) {
    LORE_ISA::chunk_symmetric16(task, chunk, row, rows, ahead);
  } else if constexpr (F::kMostCode == 255) {
    LORE_ISA::chunk_bytes32(task, chunk, row, rows, ahead);
  } else {
    LORE_ISA::chunk_symmetric32(task, chunk, row, rows, ahead);
  }
}

/// The pieces of the caller's scratch.
struct ManyScratch {
  float* sums;                // [kChunkPanels, kBlockRows, 16]
  std::uint8_t* unpacked;     // a chunk of any format
  std::uint8_t* corrections;  // [kBlockRows, groups of a row]

  explicit ManyScratch(std::uint8_t* scratch)
      : sums(reinterpret_cast<float*>(scratch)),
        unpacked(scratch + kChunkPanels * kBlockRows * kLine),
        corrections(unpacked + kUnpackedBytes) {}
};

/// Two panels (or one) from `panel` times the rows [row, row + rows), at most kBlockRows, whose
/// corrections are ready.
template <typename F>
void multiply_block(const MatmulTask& task, std::size_t panel, std::size_t panels, std::size_t row,
                    std::size_t rows) {
  const PackedMatrix& weights = *task.weights;
  const std::size_t groups = weights.k / kActivationGroup;
  const std::size_t chunks = (groups + kChunkGroups - 1) / kChunkGroups;
  const ManyScratch scratch(task.scratch);
  constexpr std::size_t kPackedBytes = F::kLayout.bytes / F::kLayout.groups;  // of a group
  const std::uint8_t* data = weights.data + panel * weights.panel_bytes;
  for (std::size_t c = 0; c < chunks; ++c) {
    // Chunks of about equal length.
    const std::size_t begin = groups * c / chunks;
    const std::size_t end = groups * (c + 1) / chunks;
    for (std::size_t i = 0; i < panels; ++i) {
      unpack_chunk<F>(data + i * weights.panel_bytes, begin, end,
                      scratch.unpacked + i * UnpackedGroup<F>::kPanelBytes);
    }
    const UnpackedChunk chunk{
        scratch.unpacked, scratch.corrections, scratch.sums, panel, panels, begin, end};
    // What the next chunk unpacks: of these panels or, after their last one, of the next two.
    const std::uint8_t* next =
        c + 1 < chunks ? data + end * kPackedBytes : data + panels * weights.panel_bytes;
    const std::size_t bytes = (end - begin + 1) * kPackedBytes;
    const std::size_t spread = (rows + kManyRows - 1) / kManyRows * (end - begin);
    Ahead ahead{next, next + bytes, weights.panel_bytes, (bytes / kLine + spread) / spread};
    multiply_chunk<F>(task, chunk, row, rows, ahead);
  }
}

template <typename F>
void quantized_many(const MatmulTask& task) {
  const std::size_t groups = task.weights->k / kActivationGroup;
  for (std::size_t row = task.row_begin; row < task.row_end; row += kBlockRows) {
    const std::size_t left = task.row_end - row;
    const std::size_t rows = left < kBlockRows ? left : kBlockRows;
    prepare_corrections<F>(*task.activations, row, rows, groups,
                           ManyScratch(task.scratch).corrections);
    for (std::size_t p = task.panel_begin; p < task.panel_end; p += kChunkPanels) {
      const std::size_t panels_left = task.panel_end - p;
      multiply_block<F>(task, p, panels_left < kChunkPanels ? panels_left : kChunkPanels, row,
                        rows);
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
  Floats acc[kRows][1];
  for (std::size_t r = 0; r < kRows; ++r) acc[r][0] = zero_floats();
  for (std::size_t g = 0; g < groups; ++g) {
    const GroupPlace place = find_group<F>(data, g);
    for (std::size_t i = 0; i < kBytes; i += kLine) {
      ask_ahead(data + g * kBytes + i);
    }
    const PanelScales<F, 1> scales{{load_scales<F>(place)}};
    add_group<F, kRows, 1>([&](auto, auto step)
                               LORE_INLINE_LAMBDA { return load_step<F, step.value>(place.codes); },
                           scales, tile, g, acc);
  }
  store_results<kRows>(task, row, panel * kPanelRows, &acc[0][0], true);
}

template <typename F>
void quantized_few(const MatmulTask& task) {
  if (task.row_end - task.row_begin >= kUnpackRows) {
    quantized_many<F>(task);  // the same operations in the same order
    return;
  }
  const std::size_t groups = task.weights->k / kActivationGroup;
  const std::size_t row_bytes = groups * F::kHalves * 4;
  prepare_corrections<F>(*task.activations, task.row_begin, task.row_end - task.row_begin, groups,
                         task.scratch);
  for (std::size_t p = task.panel_begin; p < task.panel_end; ++p) {
    // The panel comes from memory once, then from the cache.
    for_row_tiles<kFewRows>(
        task.row_begin, task.row_end, [&](auto rows, std::size_t row) LORE_INLINE_LAMBDA {
          const std::uint8_t* corrections = task.scratch + (row - task.row_begin) * row_bytes;
          multiply_panel<F, rows.value>(task, p, row, corrections);
        });
  }
}

}  // namespace
}  // namespace lore::engine::cpu
