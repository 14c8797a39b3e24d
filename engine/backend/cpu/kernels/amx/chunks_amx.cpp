// The inner loops of quantized `many` over AMX tiles: 16 rows of activations by 16 weight rows by
// one group. The int32 sums leave the tile after every group, since every group has its scale; from
// there on the operations are those of add_group (common/quantized_inl.hpp).
#include "engine/backend/cpu/kernels/amx/isa.hpp"

// The vectors come first: what follows is written in them.
#include "engine/backend/cpu/kernels/common/parts.hpp"
#include "engine/backend/cpu/kernels/common/quantized_inl.hpp"

namespace lore::engine::cpu {
namespace {

constexpr std::size_t kTileRows = 16;

template <std::size_t kGroupHalves, bool kWithMinimum>
struct Scheme {
  static constexpr std::size_t kHalves = kGroupHalves;
  static constexpr bool kMinimum = kWithMinimum;
};

// Which register holds what: whole tiles of 16 rows, and a last one of fewer.
constexpr std::size_t kSum = 0;  // and 1 for the second half of a group
constexpr std::size_t kActivations = 2;
constexpr std::size_t kWeights = 3;
constexpr std::size_t kRest = 4;  // the same registers for the last rows, from here

/// The dot products of one group: halves [0, S::kHalves) to sums[half][row][16].
template <typename S, std::size_t kFirst>
LORE_INLINE void multiply_group(Tiles& tiles, const std::uint8_t* codes, const std::int8_t* x,
                                std::size_t stride, std::int32_t (*sums)[kTileRows][16]) {
  constexpr std::size_t kValues = kActivationGroup / S::kHalves;
  unroll<S::kHalves>([&](auto half) LORE_INLINE_LAMBDA {
    constexpr std::size_t kHalf = half.value;
    tiles.template zero<kFirst + kSum + kHalf>();
    tiles.template load<kFirst + kActivations>(x + kHalf * kValues, stride);
    tiles.template load<kWeights>(codes + kHalf * kValues / 4 * kLine, kLine);
    tiles.template dot_bytes<kFirst + kSum + kHalf, kFirst + kActivations, kWeights>();
    tiles.template store<kFirst + kSum + kHalf>(sums[kHalf], sizeof(sums[0][0]));
  });
}

/// Adds a row's dot products of one group to its partial sum: add_group for one row.
template <typename S>
LORE_INLINE Floats add_scaled(const std::int32_t (*sums)[kTileRows][16], std::size_t m,
                              const GroupScales<S>& weights, const std::uint8_t* corrections,
                              Floats partial) {
  LORE_UNROLL
  for (std::size_t h = 0; h < S::kHalves; ++h) {
    const Ints start = S::kMinimum ? broadcast(kDotStart) : broadcast_int(corrections + 4 * h);
    const Ints dot = add(as_ints(load_floats(sums[h][m])), start);
    partial = fused(as_floats(dot), weights.scale[h], partial);
  }
  if constexpr (S::kMinimum) {
    LORE_UNROLL
    for (std::size_t h = 0; h < S::kHalves; ++h) {
      partial = fused(weights.minimum[h], broadcast_float(corrections + 4 * h), partial);
    }
  }
  return partial;
}

/// `rows` activation rows from row + index times panel `panel` of the chunk; kFirst says which tile
/// registers have that many rows.
template <typename S, std::size_t kFirst>
void chunk_tile(Tiles& tiles, const MatmulTask& task, const UnpackedChunk& chunk, std::size_t panel,
                std::size_t row, std::size_t index, std::size_t rows, Ahead& ahead) {
  const Activations& a = *task.activations;
  const std::size_t groups = a.k / kActivationGroup;
  const std::size_t column = (chunk.panel + panel) * kPanelRows;
  float* earlier = chunk.sums + (panel * kBlockRows + index) * kPanelRows;
  Floats acc[kTileRows];
  for (std::size_t m = 0; m < rows; ++m) {
    acc[m] = zero_floats();
    if (chunk.begin > 0) acc[m] = load(earlier + m * kPanelRows);
  }
  Floats partial[kTileRows];
  // Two sets, so that the tile unit fills one while the vectors work on the other.
  alignas(64) std::int32_t sums[2][S::kHalves][kTileRows][16];
  const std::uint8_t* data = chunk.data + panel * UnpackedGroup<S>::kPanelBytes;
  for (std::size_t g = chunk.begin; g < chunk.end; ++g) {
    auto* set = sums[g % 2];
    multiply_group<S, kFirst>(tiles, data, a.q8 + (row + index) * a.k + g * kActivationGroup, a.k,
                              set);
    GroupScales<S> weights;
    for (std::size_t h = 0; h < S::kHalves; ++h) {
      weights.scale[h] = load_floats(data + UnpackedGroup<S>::kScales + h * kLine);
      if constexpr (S::kMinimum) {
        weights.minimum[h] = load_floats(data + UnpackedGroup<S>::kMinimums + h * kLine);
      }
    }
    const bool starts = g % a.span == 0;
    const bool ends = (g + 1) % a.span == 0 || g + 1 == groups;
    const Floats shift = load_floats(data + UnpackedGroup<S>::kShift);
    for (std::size_t m = 0; m < rows; ++m) {
      const std::uint8_t* corrections =
          chunk.corrections + ((index + m) * groups + g) * S::kHalves * 4;
      partial[m] = add_scaled<S>(set, m, weights, corrections, starts ? shift : partial[m]);
      if (!ends) continue;
      acc[m] = fused(partial[m], broadcast(a.scales[(row + index + m) * groups + g]), acc[m]);
    }
    data += UnpackedGroup<S>::kBytes;
    fetch(ahead);
  }
  for (std::size_t m = 0; m < rows; ++m) {
    if (chunk.end == groups) {
      store_results<1>(task, row + index + m, column, &acc[m], true);
    } else {
      store(earlier + m * kPanelRows, acc[m]);
    }
  }
}

template <typename S>
void chunk_rows(const MatmulTask& task, const UnpackedChunk& chunk, std::size_t row,
                std::size_t rows, Ahead& ahead) {
  const std::size_t rest = rows % kTileRows;
  constexpr auto kValues = static_cast<std::uint8_t>(kActivationGroup / S::kHalves);
  const auto last = static_cast<std::uint8_t>(rest == 0 ? 1 : rest);
  const TileShape shapes[kTiles] = {{kTileRows, 64},   {kTileRows, 64}, {kTileRows, kValues},
                                    {kValues / 4, 64}, {last, 64},      {last, 64},
                                    {last, kValues},   {1, 64}};
  Tiles tiles;
  tiles.configure(shapes);
  for (std::size_t panel = 0; panel < chunk.panels; ++panel) {
    std::size_t index = 0;
    for (; index + kTileRows <= rows; index += kTileRows) {
      chunk_tile<S, 0>(tiles, task, chunk, panel, row, index, kTileRows, ahead);
    }
    if (rest != 0) chunk_tile<S, kRest>(tiles, task, chunk, panel, row, index, rest, ahead);
  }
  tiles.release();
}

}  // namespace

namespace LORE_ISA {

void chunk_symmetric32(const MatmulTask& task, const UnpackedChunk& chunk, std::size_t row,
                       std::size_t rows, Ahead& ahead) {
  chunk_rows<Scheme<1, false>>(task, chunk, row, rows, ahead);
}
void chunk_bytes32(const MatmulTask& task, const UnpackedChunk& chunk, std::size_t row,
                   std::size_t rows, Ahead& ahead) {
  chunk_rows<Scheme<1, false>>(task, chunk, row, rows, ahead);
}
void chunk_minimum32(const MatmulTask& task, const UnpackedChunk& chunk, std::size_t row,
                     std::size_t rows, Ahead& ahead) {
  chunk_rows<Scheme<1, true>>(task, chunk, row, rows, ahead);
}
void chunk_symmetric16(const MatmulTask& task, const UnpackedChunk& chunk, std::size_t row,
                       std::size_t rows, Ahead& ahead) {
  chunk_rows<Scheme<2, false>>(task, chunk, row, rows, ahead);
}
void chunk_minimum16(const MatmulTask& task, const UnpackedChunk& chunk, std::size_t row,
                     std::size_t rows, Ahead& ahead) {
  chunk_rows<Scheme<2, true>>(task, chunk, row, rows, ahead);
}

}  // namespace LORE_ISA
}  // namespace lore::engine::cpu
