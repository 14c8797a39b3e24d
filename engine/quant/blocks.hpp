// How the blocks of GGUF's quantized types lie in a file, and what all of them have in common once
// taken apart. Little-endian, no padding. `value` is what a code stands for.
// Source: the GGUF specification and the block structures of ggml (ggml-common.h).
#pragma once

#include <cstddef>
#include <cstdint>

namespace lore::engine {

/// 32 values: value = d * (code - 8). Byte i holds value i (low half) and i + 16 (high half).
struct BlockQ4_0 {
  std::uint16_t d;  // binary16, as d and m everywhere below
  std::uint8_t codes[16];
};

/// 32 values: value = d * code + m. Codes as in Q4_0.
struct BlockQ4_1 {
  std::uint16_t d;
  std::uint16_t m;
  std::uint8_t codes[16];
};

/// 32 values: value = d * (code - 16). The fifth bit of value i is bit i of `high`, little-endian.
struct BlockQ5_0 {
  std::uint16_t d;
  std::uint8_t high[4];
  std::uint8_t codes[16];
};

/// 32 values: value = d * code + m. Codes as in Q5_0.
struct BlockQ5_1 {
  std::uint16_t d;
  std::uint16_t m;
  std::uint8_t high[4];
  std::uint8_t codes[16];
};

/// 32 values: value = d * code, codes signed.
struct BlockQ8_0 {
  std::uint16_t d;
  std::int8_t codes[32];
};

/// 256 values: value = d * scale * code - dmin * minimum, scale and minimum (4 bits each, in one
/// byte, scale low) for every 16 values. Value 128 n + 32 j + i is bits 2 j of byte 32 n + i.
struct BlockQ2_K {
  std::uint8_t scales[16];
  std::uint8_t codes[64];
  std::uint16_t d;
  std::uint16_t dmin;
};

/// 256 values: value = d * (scale - 32) * (code - 4), a 6-bit scale for every 16 values. The low
/// two bits of a code as in Q2_K; the third of value 32 j + i is bit j of byte i of `high`.
/// Scale s: low 4 bits in byte s % 8 (low half for s < 8, else high half), the upper 2 in byte
/// 8 + s % 4 at bit 2 (s / 4).
struct BlockQ3_K {
  std::uint8_t high[32];
  std::uint8_t codes[64];
  std::uint8_t scales[12];
  std::uint16_t d;
};

/// 256 values: value = d * scale * code - dmin * minimum, 6-bit scale and minimum for every 32
/// values. Value 64 c + i is the low half of byte 32 c + i, value 64 c + 32 + i its high half.
/// Scale and minimum j < 4: the low 6 bits of bytes j and j + 4. For j >= 4: the low and the high
/// half of byte j + 4, below the top 2 bits of bytes j - 4 and j.
struct BlockQ4_K {
  std::uint16_t d;
  std::uint16_t dmin;
  std::uint8_t scales[12];
  std::uint8_t codes[128];
};

/// 256 values: as Q4_K, with the fifth bit of value 32 j + i in bit j of byte i of `high`.
struct BlockQ5_K {
  std::uint16_t d;
  std::uint16_t dmin;
  std::uint8_t scales[12];
  std::uint8_t high[32];
  std::uint8_t codes[128];
};

/// 256 values: value = d * scale * (code - 32), a signed 8-bit scale for every 16 values. With
/// v = 128 n + 32 j + i: the low 4 bits are in byte 64 n + 32 (j % 2) + i of `low` (low half for
/// j < 2), the upper 2 in byte 32 n + i of `high` at bit 2 j.
struct BlockQ6_K {
  std::uint8_t low[128];
  std::uint8_t high[64];
  std::int8_t scales[16];
  std::uint16_t d;
};

static_assert(sizeof(BlockQ4_0) == 18 && sizeof(BlockQ4_1) == 20);
static_assert(sizeof(BlockQ5_0) == 22 && sizeof(BlockQ5_1) == 24 && sizeof(BlockQ8_0) == 34);
static_assert(sizeof(BlockQ2_K) == 84 && sizeof(BlockQ3_K) == 110 && sizeof(BlockQ4_K) == 144);
static_assert(sizeof(BlockQ5_K) == 176 && sizeof(BlockQ6_K) == 210);

/// A block of any quantized type taken apart. The value of code i, in group g = i / group size, is
///   d * scales[g] * (codes[i] - offset)            for symmetric types
///   d * scales[g] * codes[i] - dmin * minimums[g]  for Q2_K, Q4_K, Q5_K
///   d * codes[i] + dmin                            for Q4_1, Q5_1
/// where scales count as 1 for the types with blocks of 32.
struct BlockFields {
  std::uint8_t codes[256];
  std::int8_t scales[16];
  std::uint8_t minimums[16];
  std::uint16_t d;
  std::uint16_t dmin;
};

}  // namespace lore::engine
