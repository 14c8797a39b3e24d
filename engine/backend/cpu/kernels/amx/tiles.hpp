// Tile registers of AMX-INT8 and AMX-BF16 (Intel SDM volume 2, chapter "AMX instructions"). The
// registers are the thread's own; the class has no state.
//
// As assembly: GCC 12's _tile_loadconfig declares only 8 of the 64 bytes that it reads, so that the
// compiler drops the stores to a local configuration and the next tile instruction faults.
#pragma once

#include "engine/backend/cpu/kernels/amx/tile_shape.hpp"
#include "engine/backend/cpu/kernels/common/unroll.hpp"

namespace lore::engine::cpu {
namespace {

class Tiles {
 public:
  /// Gives every tile a shape and sets all to zero.
  LORE_INLINE void configure(const TileShape (&shapes)[kTiles]) {
    struct Configuration {
      std::uint8_t palette;
      std::uint8_t start_row;
      std::uint8_t reserved[14];
      std::uint16_t bytes[16];
      std::uint8_t rows[16];
    };
    static_assert(sizeof(Configuration) == 64);
    Configuration configuration = {};
    configuration.palette = 1;
    for (std::size_t i = 0; i < kTiles; ++i) {
      configuration.bytes[i] = shapes[i].bytes;
      configuration.rows[i] = shapes[i].rows;
    }
    asm volatile("ldtilecfg %0" : : "m"(configuration));
  }

  LORE_INLINE void release() { asm volatile("tilerelease"); }

  template <std::size_t kTile>
  LORE_INLINE void zero() {
    asm volatile("tilezero %%tmm%c0" : : "i"(kTile));
  }

  /// Rows `stride` bytes apart.
  template <std::size_t kTile>
  LORE_INLINE void load(const void* rows, std::size_t stride) {
    asm volatile("tileloadd (%0,%1,1), %%tmm%c2" : : "r"(rows), "r"(stride), "i"(kTile) : "memory");
  }
  template <std::size_t kTile>
  LORE_INLINE void store(void* rows, std::size_t stride) {
    asm volatile("tilestored %%tmm%c2, (%0,%1,1)"
                 :
                 : "r"(rows), "r"(stride), "i"(kTile)
                 : "memory");
  }

  /// sum[m, n] += a[m, 4 k … 4 k + 3] . b[k, 4 n … 4 n + 3], a signed and b unsigned bytes, sums of
  /// 32 bits.
  template <std::size_t kSum, std::size_t kA, std::size_t kB>
  LORE_INLINE void dot_bytes() {
    asm volatile("tdpbsud %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(kSum), "i"(kA), "i"(kB));
  }

  /// sum[m, n] += a[m, 2 k … 2 k + 1] . b[k, 2 n … 2 n + 1] in bfloat16, sums in binary32: the even
  /// and the odd products are summed apart, then together, then added.
  template <std::size_t kSum, std::size_t kA, std::size_t kB>
  LORE_INLINE void dot_bf16() {
    asm volatile("tdpbf16ps %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(kSum), "i"(kA), "i"(kB));
  }
};

}  // namespace
}  // namespace lore::engine::cpu
