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

/// Dot products start from the bits of the float 1.25 * 2^23, whose unit is 1: as long as they stay
/// below 2^21 (they do: 32 * 255 * 127), their bits are those of the float 1.25 * 2^23 + dot. One
/// multiply-add then takes the place of a conversion and a product; what it adds too much is taken
/// away beforehand, once for all scales that share a scale of the activations.
constexpr std::int32_t kDotStart = 0x4B200000;
LORE_INLINE Floats dot_shift(Floats scales) { return multiply(broadcast(-10485760.0F), scales); }

/// What the sums of the activations contribute to each group. Symmetric formats: -offset * sum, an
/// int32 that the dot product starts from, above kDotStart. Others: the sum as a float, which meets
/// the minimum. For all groups of `rows` rows, each as long as its int32 sums would be for kHalves
/// values a group.
template <typename F>
void prepare_corrections(const Activations& a, std::size_t row, std::size_t rows,
                         std::size_t groups, std::uint8_t* out) {
  constexpr int kOffset = kSignedBytes && F::kMostCode == 255 ? 0 : F::kOffset;
  const std::size_t count = rows * groups * F::kHalves;
  const std::int32_t* __restrict sums = a.sums + row * groups * 2;
  auto* __restrict floats = reinterpret_cast<float*>(out);
  auto* __restrict ints = reinterpret_cast<std::int32_t*>(out);
  for (std::size_t i = 0; i < count; ++i) {
    const std::int32_t sum = F::kHalves == 1 ? sums[2 * i] + sums[2 * i + 1] : sums[i];
    if constexpr (F::kMinimum) {
      floats[i] = static_cast<float>(sum);
    } else {
      ints[i] = kDotStart - kOffset * sum;
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

/// The scales of one group of kPanels panels, from wherever they are kept.
template <typename S, std::size_t kPanels>
struct PanelScales {
  GroupScales<S> panels[kPanels];

  LORE_INLINE Floats scale(std::size_t p, std::size_t half) const { return panels[p].scale[half]; }
  LORE_INLINE Floats minimum(std::size_t p, std::size_t half) const {
    return panels[p].minimum[half];
  }
};

/// partial = before plus group `g` of the activations' codes times the codes and scales of kPanels
/// times 16 weight rows; the first `before` of a span is the dot_shift of all its scales.
/// codes(panel, step), `weights` and before(row, panel) are asked in the order in which registers
/// become free.
template <typename S, std::size_t kRows, std::size_t kPanels, typename Codes, typename Scales,
          typename Before>
LORE_INLINE void add_group(Codes codes, const Scales& weights, const ActivationTile<kRows>& tile,
                           std::size_t g, Before before, Floats (&partial)[kRows][kPanels]) {
  constexpr std::size_t kSteps = kGroupSteps / S::kHalves;
  const std::int8_t* values = tile.values + g * kActivationGroup;
  const std::uint8_t* corrections = tile.corrections + g * 4 * S::kHalves;
  hide(values);
  hide(corrections);
  unroll<S::kHalves>([&](auto half) LORE_INLINE_LAMBDA {
    constexpr std::size_t kHalf = half.value;
    Ints sums[kRows][kPanels];
    LORE_UNROLL
    for (std::size_t r = 0; r < kRows; ++r) {
      const Ints start =
          S::kMinimum ? broadcast(kDotStart)
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
      LORE_UNROLL
      for (std::size_t p = 0; p < kPanels; ++p) {
        const Floats sum = kHalf == 0 ? before(r, p) : partial[r][p];
        partial[r][p] = fused(as_floats(sums[r][p]), weights.scale(p, kHalf), sum);
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
          partial[r][p] = fused(weights.minimum(p, half.value), sum, partial[r][p]);
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

/// The shift stands with the first of each `span` groups.
template <typename F>
LORE_INLINE void unpack_chunk(const std::uint8_t* panel, std::size_t begin, std::size_t end,
                              std::size_t span, std::uint8_t* out) {
  constexpr std::size_t kBytes = F::kLayout.bytes / F::kLayout.groups;  // of memory per group
  while (begin < end) {
    std::uint8_t* first = out;
    Floats sum = zero_floats();
    const std::size_t stop = end - begin < span ? end : begin + span;
    for (; begin < stop; ++begin, out += UnpackedGroup<F>::kBytes) {
      const GroupPlace place = find_group<F>(panel, begin);
      for (std::size_t i = 0; i < kBytes; i += kLine) prefetch(place.codes + kNearBytes + i);
      unroll<kGroupSteps>([&](auto step) LORE_INLINE_LAMBDA {
        store_bytes(out + step.value * kLine, load_step<F, step.value>(place.codes));
      });
      const GroupScales<F> scales = load_scales<F>(place);
      for (std::size_t h = 0; h < F::kHalves; ++h) {
        sum = add(sum, scales.scale[h]);
        store_floats(out + UnpackedGroup<F>::kScales + h * kLine, scales.scale[h]);
        if constexpr (F::kMinimum) {
          store_floats(out + UnpackedGroup<F>::kMinimums + h * kLine, scales.minimum[h]);
        }
      }
    }
    store_floats(first + UnpackedGroup<F>::kShift, dot_shift(sum));
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
  const std::size_t span = task.activations->span;
  const std::size_t spans = (groups + span - 1) / span;
  for (std::size_t c = 0; c < chunks; ++c) {
    // Chunks of about equal length.
    const std::size_t begin = spans * c / chunks * span;
    const std::size_t end = c + 1 < chunks ? spans * (c + 1) / chunks * span : groups;
    for (std::size_t i = 0; i < panels; ++i) {
      unpack_chunk<F>(data + i * weights.panel_bytes, begin, end, span,
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
  Floats acc[kRows];
  for (std::size_t r = 0; r < kRows; ++r) acc[r] = zero_floats();
  for (std::size_t g = 0; g < groups; ++g) {
    const GroupPlace place = find_group<F>(data, g);
    for (std::size_t i = 0; i < kBytes; i += kLine) {
      ask_ahead(data + g * kBytes + i);
    }
    const PanelScales<F, 1> scales{{load_scales<F>(place)}};
    Floats sum = scales.scale(0, 0);
    if constexpr (F::kHalves == 2) sum = add(sum, scales.scale(0, 1));
    const Floats shift = dot_shift(sum);
    Floats partial[kRows][1];
    add_group<F, kRows, 1>(
        [&](auto, auto step) LORE_INLINE_LAMBDA { return load_step<F, step.value>(place.codes); },
        scales, tile, g, [&](std::size_t, std::size_t) LORE_INLINE_LAMBDA { return shift; },
        partial);
    LORE_UNROLL
    for (std::size_t r = 0; r < kRows; ++r) {
      acc[r] = fused(partial[r][0], broadcast_float(tile.scales + tile.eighths[r] + 4 * g), acc[r]);
    }
  }
  store_results<kRows>(task, row, panel * kPanelRows, acc, true);
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
