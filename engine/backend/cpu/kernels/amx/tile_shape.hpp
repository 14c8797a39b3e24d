// The shape of a tile register, for the real tiles and the emulated ones.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lore::engine::cpu {
namespace {

/// At most 16 rows of at most 64 bytes.
struct TileShape {
  std::uint8_t rows;
  std::uint8_t bytes;
};

constexpr std::size_t kTiles = 8;

}  // namespace
}  // namespace lore::engine::cpu
