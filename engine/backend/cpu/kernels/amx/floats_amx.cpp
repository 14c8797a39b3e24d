// Float weights where there are tiles: F16 and BF16 as bfloat16 tiles, 32 values of k at a time, in
// both regimes alike (a tile sums in an order of its own); F32 as everywhere.
#include "engine/backend/cpu/kernels/amx/isa.hpp"

// The vectors come first: what follows is written in them.
#include "engine/backend/cpu/kernels/common/floats_inl.hpp"

namespace lore::engine::cpu {
namespace {

constexpr std::size_t kTileRows = 16;
constexpr std::size_t kTileValues = 32;  // of k
constexpr std::size_t kTilePairs = kTileValues / 2;
/// Tiles of k that are converted at a time.
constexpr std::size_t kTileChunk = 32;

// Tile registers; the rows left over use the same ones from kRest.
constexpr std::size_t kSum = 0;
constexpr std::size_t kActivations = 1;
constexpr std::size_t kWeights = 2;
constexpr std::size_t kRest = 4;

/// Pairs [begin, end) of a panel as bfloat16 lines, then zeros up to a whole tile.
template <FloatKind kKind>
void unpack_pairs(const std::uint8_t* panel, std::size_t begin, std::size_t end,
                  std::uint8_t* out) {
  for (std::size_t i = begin; i < end; ++i, out += kLine) {
    if constexpr (kKind == FloatKind::bf16) {
      store_bytes(out, load_bytes(panel + i * kLine));
    } else {
      Floats even;
      Floats odd;
      load_pair<kKind>(panel, i, even, odd);
      std::uint16_t halves[2][16];
      store_bf16(halves[0], even);
      store_bf16(halves[1], odd);
      const Ints low = load_u16(halves[0]);
      const Ints high = shift_left<16>(load_u16(halves[1]));
      store_floats(out, as_floats(bit_or(low, high)));
    }
  }
  for (std::size_t i = end; i % kTilePairs != 0; ++i, out += kLine) {
    store_floats(out, zero_floats());
  }
}

/// One tile of rows times the converted lines of a panel, `tiles_of_k` tiles of them.
template <std::size_t kFirst>
void multiply_tile(Tiles& tiles, const MatmulTask& task, std::size_t panel, std::size_t row,
                   std::size_t rows, std::size_t first, std::size_t tiles_of_k, bool complete) {
  const Activations& a = *task.activations;
  const std::size_t stride = (a.k + kTileValues - 1) / kTileValues * kTileValues;
  const std::size_t column = panel * kPanelRows;
  alignas(64) float sums[kTileRows][16];
  if (first == 0) {
    tiles.zero<kFirst + kSum>();
  } else {
    for (std::size_t m = 0; m < rows; ++m) {
      Floats value;
      load_results<1>(task, row + m, column, &value);
      store(sums[m], value);
    }
    tiles.load<kFirst + kSum>(sums, sizeof(sums[0]));
  }
  const std::uint16_t* x = a.bf16 + row * stride + first * kTileValues;
  for (std::size_t i = 0; i < tiles_of_k; ++i) {
    tiles.load<kFirst + kActivations>(x + i * kTileValues, stride * sizeof(*x));
    tiles.load<kWeights>(task.scratch + i * kTilePairs * kLine, kLine);
    tiles.dot_bf16<kFirst + kSum, kFirst + kActivations, kWeights>();
  }
  tiles.store<kFirst + kSum>(sums, sizeof(sums[0]));
  for (std::size_t m = 0; m < rows; ++m) {
    const Floats value = load(sums[m]);
    store_results<1>(task, row + m, column, &value, complete);
  }
}

template <FloatKind kKind>
void multiply_tiles(const MatmulTask& task) {
  const PackedMatrix& weights = *task.weights;
  const std::size_t pairs = (weights.k + 1) / 2;
  const std::size_t all = (pairs + kTilePairs - 1) / kTilePairs;
  const std::size_t rest = (task.row_end - task.row_begin) % kTileRows;
  const auto last = static_cast<std::uint8_t>(rest == 0 ? 1 : rest);
  const TileShape shapes[kTiles] = {{kTileRows, 64}, {kTileRows, 64}, {kTilePairs, 64}, {1, 64},
                                    {last, 64},      {last, 64},      {1, 64},          {1, 64}};
  Tiles tiles;
  tiles.configure(shapes);
  for (std::size_t panel = task.panel_begin; panel < task.panel_end; ++panel) {
    const std::uint8_t* data = weights.data + panel * weights.panel_bytes;
    for (std::size_t first = 0; first < all; first += kTileChunk) {
      const std::size_t count = all - first < kTileChunk ? all - first : kTileChunk;
      const std::size_t begin = first * kTilePairs;
      const std::size_t end = begin + count * kTilePairs;
      unpack_pairs<kKind>(data, begin, end < pairs ? end : pairs, task.scratch);
      const bool complete = first + count == all;
      std::size_t row = task.row_begin;
      for (; row + kTileRows <= task.row_end; row += kTileRows) {
        multiply_tile<0>(tiles, task, panel, row, kTileRows, first, count, complete);
      }
      if (rest != 0) multiply_tile<kRest>(tiles, task, panel, row, rest, first, count, complete);
    }
  }
  tiles.release();
}

// One order of sums for both regimes.
struct HalfProducts {
  static constexpr ActivationFormat kFormat = ActivationFormat::bf16;
  template <FloatKind kKind>
  static void many(const MatmulTask& task) {
    multiply_tiles<kKind>(task);
  }
  template <FloatKind kKind>
  static void few(const MatmulTask& task) {
    multiply_tiles<kKind>(task);
  }
};

}  // namespace
}  // namespace lore::engine::cpu

#include "engine/backend/cpu/kernels/common/float_types_inl.hpp"
