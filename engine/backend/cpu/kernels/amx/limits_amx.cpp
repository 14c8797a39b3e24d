// Tile instructions: two tiles of activations times two of weights, four sums.
#include "engine/backend/cpu/kernels/amx/isa.hpp"

// The vectors come first: what follows is written in them.
#include "engine/backend/cpu/kernels/common/limits_inl.hpp"

namespace lore::engine::cpu {
namespace {

constexpr std::size_t kSumTiles = 4;
constexpr std::size_t kFactorTiles = 4;  // the first of them
constexpr std::size_t kTileRows = 16;

/// `factor` fills the factor tiles. Returns the sums of all elements of the sum tiles, which
/// `sum_of` reads from a line of 16.
template <typename Multiply, typename SumOf>
double count_tiles(std::size_t rounds, std::int32_t factor, Multiply multiply, SumOf sum_of) {
  alignas(64) std::int32_t lines[kTileRows][16];
  for (auto& line : lines) {
    for (std::int32_t& value : line) value = factor;
  }
  TileShape shapes[kTiles];
  for (TileShape& shape : shapes) shape = {kTileRows, 64};
  Tiles tiles;
  tiles.configure(shapes);
  tiles.template load<kFactorTiles>(lines, sizeof(lines[0]));
  tiles.template load<kFactorTiles + 1>(lines, sizeof(lines[0]));
  tiles.template load<kFactorTiles + 2>(lines, sizeof(lines[0]));
  tiles.template load<kFactorTiles + 3>(lines, sizeof(lines[0]));
  for (std::size_t i = 0; i < rounds; ++i) {
    unroll<kSumTiles>([&](auto sum) LORE_INLINE_LAMBDA { multiply(tiles, sum); });
  }
  double products = 0;
  unroll<kSumTiles>([&](auto sum) LORE_INLINE_LAMBDA {
    tiles.template store<sum.value>(lines, sizeof(lines[0]));
    for (const auto& line : lines) products += sum_of(load_floats(line));
  });
  tiles.release();
  return 2 * products;
}

double count_int8_tiles(std::size_t rounds) {
  return count_tiles(
      rounds, 0x01010101,
      [](Tiles& tiles, auto sum) LORE_INLINE_LAMBDA {
        tiles.template dot_bytes<sum.value, kFactorTiles + sum.value / 2,
                                 kFactorTiles + 2 + sum.value % 2>();
      },
      [](Floats bits) LORE_INLINE_LAMBDA { return lane_total(as_ints(bits)); });
}

double count_bf16_tiles(std::size_t rounds) {
  return count_tiles(
      rounds, 0x3F803F80,
      [](Tiles& tiles, auto sum) LORE_INLINE_LAMBDA {
        tiles.template dot_bf16<sum.value, kFactorTiles + sum.value / 2,
                                kFactorTiles + 2 + sum.value % 2>();
      },
      [](Floats values) LORE_INLINE_LAMBDA { return lane_total(values); });
}

}  // namespace
}  // namespace lore::engine::cpu

namespace lore::engine::cpu::LORE_ISA {

void set_limit_functions(KernelTable& table) {
  set_common_limits<kManyRows>(table);
  table.count_int8 = count_int8_tiles;
  table.count_bf16 = count_bf16_tiles;
}

}  // namespace lore::engine::cpu::LORE_ISA
