// The tiles of tiles.hpp in plain C++: same shapes, same results. Tests run the AMX kernels over
// these on machines that have no tiles.
#pragma once

#include "engine/backend/cpu/kernels/amx/tile_shape.hpp"
#include "engine/backend/cpu/kernels/common/unroll.hpp"

namespace lore::engine::cpu {
namespace {

class Tiles {
 public:
  void configure(const TileShape (&shapes)[kTiles]) {
    for (std::size_t i = 0; i < kTiles; ++i) {
      tiles_[i].shape = shapes[i];
      clear(tiles_[i]);
    }
  }

  void release() {}

  template <std::size_t kTile>
  void zero() {
    clear(tiles_[kTile]);
  }

  template <std::size_t kTile>
  void load(const void* rows, std::size_t stride) {
    Tile& tile = tiles_[kTile];
    clear(tile);
    const auto* from = static_cast<const std::uint8_t*>(rows);
    for (std::size_t i = 0; i < tile.shape.rows; ++i) {
      __builtin_memcpy(tile.bytes[i], from + i * stride, tile.shape.bytes);
    }
  }

  template <std::size_t kTile>
  void store(void* rows, std::size_t stride) {
    const Tile& tile = tiles_[kTile];
    auto* to = static_cast<std::uint8_t*>(rows);
    for (std::size_t i = 0; i < tile.shape.rows; ++i) {
      __builtin_memcpy(to + i * stride, tile.bytes[i], tile.shape.bytes);
    }
  }

  template <std::size_t kSum, std::size_t kA, std::size_t kB>
  void dot_bytes() {
    Tile& sum = tiles_[kSum];
    const Tile& a = tiles_[kA];
    const Tile& b = tiles_[kB];
    for (std::size_t m = 0; m < sum.shape.rows; ++m) {
      for (std::size_t n = 0; n < sum.shape.bytes / 4U; ++n) {
        std::int32_t value;
        __builtin_memcpy(&value, sum.bytes[m] + 4 * n, 4);
        for (std::size_t k = 0; k < b.shape.rows; ++k) {
          for (std::size_t i = 0; i < 4; ++i) {
            value += static_cast<std::int8_t>(a.bytes[m][4 * k + i]) * b.bytes[k][4 * n + i];
          }
        }
        __builtin_memcpy(sum.bytes[m] + 4 * n, &value, 4);
      }
    }
  }

  template <std::size_t kSum, std::size_t kA, std::size_t kB>
  void dot_bf16() {
    Tile& sum = tiles_[kSum];
    const Tile& a = tiles_[kA];
    const Tile& b = tiles_[kB];
    for (std::size_t m = 0; m < sum.shape.rows; ++m) {
      for (std::size_t n = 0; n < sum.shape.bytes / 4U; ++n) {
        float parts[2] = {0, 0};
        for (std::size_t k = 0; k < b.shape.rows; ++k) {
          for (std::size_t i = 0; i < 2; ++i) {
            parts[i] = __builtin_fmaf(bf16(a.bytes[m] + 4 * k + 2 * i),
                                      bf16(b.bytes[k] + 4 * n + 2 * i), parts[i]);
          }
        }
        float value;
        __builtin_memcpy(&value, sum.bytes[m] + 4 * n, 4);
        value += parts[0] + parts[1];
        __builtin_memcpy(sum.bytes[m] + 4 * n, &value, 4);
      }
    }
  }

 private:
  struct Tile {
    TileShape shape;
    std::uint8_t bytes[16][64];
  };

  static void clear(Tile& tile) { __builtin_memset(tile.bytes, 0, sizeof(tile.bytes)); }

  static float bf16(const std::uint8_t* bytes) {
    const std::uint8_t wide[4] = {0, 0, bytes[0], bytes[1]};
    float value;
    __builtin_memcpy(&value, wide, sizeof(value));
    return value;
  }

  Tile tiles_[kTiles];
};

}  // namespace
}  // namespace lore::engine::cpu
