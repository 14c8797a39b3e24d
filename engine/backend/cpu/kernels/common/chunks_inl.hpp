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

template <typename S, std::size_t kRows>
void chunk_tile(const MatmulTask& task, const UnpackedChunk& chunk, std::size_t row,
                std::size_t index) {
  const Activations& a = *task.activations;
  const std::size_t groups = a.k / kActivationGroup;
  const std::uint8_t* corrections = chunk.corrections + index * groups * S::kHalves * 4;
  const auto tile = activation_tile<kRows>(a, row + index, corrections);
  const std::size_t column = chunk.panel * kPanelRows;
  Floats acc[kRows];
  LORE_UNROLL
  for (std::size_t r = 0; r < kRows; ++r) acc[r] = zero_floats();
  float* sums = chunk.sums + index * kPanelRows;
  if (chunk.begin > 0) {
    LORE_UNROLL
    for (std::size_t r = 0; r < kRows; ++r) acc[r] = load(sums + r * kPanelRows);
  }
  const std::uint8_t* data = chunk.data;
  for (std::size_t g = chunk.begin; g < chunk.end; ++g) {
    GroupScales<S> scales;
    unroll<S::kHalves>([&](auto h) LORE_INLINE_LAMBDA {
      scales.scale[h.value] = load_floats(data + UnpackedGroup<S>::kScales + h.value * kLine);
      if constexpr (S::kMinimum) {
        scales.minimum[h.value] = load_floats(data + UnpackedGroup<S>::kMinimums + h.value * kLine);
      }
    });
    add_group<S, kRows>([&](auto step)
                            LORE_INLINE_LAMBDA { return load_bytes(data + step.value * kLine); },
                        scales, tile, g, acc);
    data += UnpackedGroup<S>::kBytes;
  }
  if (chunk.end == groups) {
    store_results<kRows>(task, row + index, column, acc, true);
    return;
  }
  LORE_UNROLL
  for (std::size_t r = 0; r < kRows; ++r) store(sums + r * kPanelRows, acc[r]);
}

template <typename S>
void chunk_rows(const MatmulTask& task, const UnpackedChunk& chunk, std::size_t row,
                std::size_t rows) {
  std::size_t index = 0;
  const auto run = [&](auto size) LORE_INLINE_LAMBDA {
    for (; index + size.value <= rows; index += size.value) {
      chunk_tile<S, size.value>(task, chunk, row, index);
    }
  };
  run(Index<kManyRows>{});
  if constexpr (kManyRows > 8) run(Index<8>{});
  if constexpr (kManyRows > 4) run(Index<4>{});
  if constexpr (kManyRows > 2) run(Index<2>{});
  run(Index<1>{});
}

}  // namespace

namespace LORE_ISA {

void chunk_symmetric32(const MatmulTask& task, const UnpackedChunk& chunk, std::size_t row,
                       std::size_t rows) {
  chunk_rows<Scheme<1, false, 31>>(task, chunk, row, rows);
}
void chunk_bytes32(const MatmulTask& task, const UnpackedChunk& chunk, std::size_t row,
                   std::size_t rows) {
  chunk_rows<Scheme<1, false, 255>>(task, chunk, row, rows);
}
void chunk_minimum32(const MatmulTask& task, const UnpackedChunk& chunk, std::size_t row,
                     std::size_t rows) {
  chunk_rows<Scheme<1, true, 31>>(task, chunk, row, rows);
}
void chunk_symmetric16(const MatmulTask& task, const UnpackedChunk& chunk, std::size_t row,
                       std::size_t rows) {
  chunk_rows<Scheme<2, false, 63>>(task, chunk, row, rows);
}
void chunk_minimum16(const MatmulTask& task, const UnpackedChunk& chunk, std::size_t row,
                     std::size_t rows) {
  chunk_rows<Scheme<2, true, 3>>(task, chunk, row, rows);
}

}  // namespace LORE_ISA
}  // namespace lore::engine::cpu
