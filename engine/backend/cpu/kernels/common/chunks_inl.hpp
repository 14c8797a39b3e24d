// The inner loops of `many`: tiles of activation rows against an unpacked chunk of a panel. They
// depend on how a format scales, not on how it stores its codes. Included after an instruction
// set's vec.hpp.
#pragma once

#include "engine/backend/cpu/kernels/common/parts.hpp"
#include "engine/backend/cpu/kernels/common/quantized_inl.hpp"

namespace lore::engine::cpu {
namespace {

/// How a format scales; what Format is to add_group, without the storage. kMost is the largest
/// code of the formats that share the scheme.
template <std::size_t kGroupHalves, bool kWithMinimum, unsigned kMost>
struct Scheme {
  static constexpr std::size_t kHalves = kGroupHalves;
  static constexpr bool kMinimum = kWithMinimum;
  static constexpr unsigned kMostCode = kMost;
};

/// The scales of one group in an unpacked chunk.
template <typename S>
struct ChunkScales {
  const std::uint8_t* data;

  LORE_INLINE Floats at(std::size_t p, std::size_t place) const {
    return load_floats(data + p * UnpackedGroup<S>::kPanelBytes + place);
  }
  LORE_INLINE Floats scale(std::size_t p, std::size_t half) const {
    return at(p, UnpackedGroup<S>::kScales + half * kLine);
  }
  /// Of all groups that share a scale of the activations, with the first of them.
  LORE_INLINE Floats shift(std::size_t p) const { return at(p, UnpackedGroup<S>::kShift); }
  LORE_INLINE Floats minimum(std::size_t p, std::size_t half) const {
    return at(p, UnpackedGroup<S>::kMinimums + half * kLine);
  }
};

/// The panels [first, first + kPanels) of the chunk. kSpans: groups share scales of activations.
template <typename S, bool kSpans, std::size_t kRows, std::size_t kPanels>
void chunk_tile(const MatmulTask& task, const UnpackedChunk& chunk, std::size_t row,
                std::size_t index, std::size_t first, Ahead& ahead) {
  constexpr std::size_t kPanelBytes = UnpackedGroup<S>::kPanelBytes;
  const Activations& a = *task.activations;
  const std::size_t groups = a.k / kActivationGroup;
  const std::uint8_t* corrections = chunk.corrections + index * groups * S::kHalves * 4;
  const auto tile = activation_tile<kRows>(a, row + index, corrections);
  constexpr std::size_t kSumsStride = kBlockRows * kPanelRows;
  float* sums = chunk.sums + first * kSumsStride + index * kPanelRows;
  Floats acc[kRows][kPanels];
  LORE_UNROLL
  for (std::size_t r = 0; r < kRows; ++r) {
    LORE_UNROLL
    for (std::size_t p = 0; p < kPanels; ++p) {
      acc[r][p] = chunk.begin == 0 ? zero_floats() : load(sums + p * kSumsStride + r * kPanelRows);
    }
  }
  const std::uint8_t* data = chunk.data + first * kPanelBytes;
  Floats partial[kRows][kPanels];
  const auto add = [&](std::size_t g, auto before) LORE_INLINE_LAMBDA {
    add_group<S, kRows, kPanels>(
        [&](auto panel, auto step) LORE_INLINE_LAMBDA {
          return load_bytes(data + panel.value * kPanelBytes + step.value * kLine);
        },
        ChunkScales<S>{data}, tile, g, before, partial);
    data += UnpackedGroup<S>::kBytes;
    fetch(ahead);
  };
  for (std::size_t g = chunk.begin; g < chunk.end;) {
    const std::uint8_t* scales = tile.scales + g * 4;
    hide(scales);
    if constexpr (kSpans) {
      LORE_UNROLL
      for (std::size_t p = 0; p < kPanels; ++p) {
        const Floats shift = ChunkScales<S>{data}.shift(p);
        LORE_UNROLL
        for (std::size_t r = 0; r < kRows; ++r) partial[r][p] = shift;
      }
      const std::size_t stop = chunk.end - g < a.span ? chunk.end : g + a.span;
      for (; g < stop; ++g) {
        add(g, [&](std::size_t r, std::size_t p) LORE_INLINE_LAMBDA { return partial[r][p]; });
      }
    } else {
      const ChunkScales<S> of_group{data};
      add(g++, [&](std::size_t, std::size_t p) LORE_INLINE_LAMBDA { return of_group.shift(p); });
    }
    LORE_UNROLL
    for (std::size_t r = 0; r < kRows; ++r) {
      const Floats scale = broadcast_float(scales + tile.eighths[r]);
      LORE_UNROLL
      for (std::size_t p = 0; p < kPanels; ++p) {
        acc[r][p] = fused(partial[r][p], scale, acc[r][p]);
      }
    }
  }
  unroll<kPanels>([&](auto panel) LORE_INLINE_LAMBDA {
    constexpr std::size_t kPanel = panel.value;
    Floats column[kRows];
    LORE_UNROLL
    for (std::size_t r = 0; r < kRows; ++r) column[r] = acc[r][kPanel];
    if (chunk.end == groups) {
      store_results<kRows>(task, row + index, (chunk.panel + first + kPanel) * kPanelRows, column,
                           true);
      return;
    }
    LORE_UNROLL
    for (std::size_t r = 0; r < kRows; ++r) {
      store(sums + kPanel * kSumsStride + r * kPanelRows, column[r]);
    }
  });
}

template <typename S, bool kSpans>
void chunk_tiles(const MatmulTask& task, const UnpackedChunk& chunk, std::size_t row,
                 std::size_t rows, Ahead& ahead) {
  std::size_t first = 0;
  if constexpr (kManyPanels > 1) {
    for (; first + kManyPanels <= chunk.panels; first += kManyPanels) {
      for_row_tiles<kManyRows>(0, rows, [&](auto tile, std::size_t index) LORE_INLINE_LAMBDA {
        chunk_tile<S, kSpans, tile.value, kManyPanels>(task, chunk, row, index, first, ahead);
      });
    }
  }
  for (; first < chunk.panels; ++first) {
    for_row_tiles<kManyRows>(0, rows, [&](auto tile, std::size_t index) LORE_INLINE_LAMBDA {
      chunk_tile<S, kSpans, tile.value, 1>(task, chunk, row, index, first, ahead);
    });
  }
}

template <typename S>
void chunk_rows(const MatmulTask& task, const UnpackedChunk& chunk, std::size_t row,
                std::size_t rows, Ahead& ahead) {
  if (task.activations->span > 1) {
    chunk_tiles<S, true>(task, chunk, row, rows, ahead);
  } else {
    chunk_tiles<S, false>(task, chunk, row, rows, ahead);
  }
}

}  // namespace

namespace LORE_ISA {

void chunk_symmetric32(const MatmulTask& task, const UnpackedChunk& chunk, std::size_t row,
                       std::size_t rows, Ahead& ahead) {
  chunk_rows<Scheme<1, false, 31>>(task, chunk, row, rows, ahead);
}
void chunk_bytes32(const MatmulTask& task, const UnpackedChunk& chunk, std::size_t row,
                   std::size_t rows, Ahead& ahead) {
  chunk_rows<Scheme<1, false, 255>>(task, chunk, row, rows, ahead);
}
void chunk_minimum32(const MatmulTask& task, const UnpackedChunk& chunk, std::size_t row,
                     std::size_t rows, Ahead& ahead) {
  chunk_rows<Scheme<1, true, 31>>(task, chunk, row, rows, ahead);
}
void chunk_symmetric16(const MatmulTask& task, const UnpackedChunk& chunk, std::size_t row,
                       std::size_t rows, Ahead& ahead) {
  chunk_rows<Scheme<2, false, 63>>(task, chunk, row, rows, ahead);
}
void chunk_minimum16(const MatmulTask& task, const UnpackedChunk& chunk, std::size_t row,
                     std::size_t rows, Ahead& ahead) {
  chunk_rows<Scheme<2, true, 3>>(task, chunk, row, rows, ahead);
}

}  // namespace LORE_ISA
}  // namespace lore::engine::cpu
