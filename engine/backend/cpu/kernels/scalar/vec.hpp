// The vectors that the kernels are written in, in plain C++ (the vector extensions of GCC and
// Clang, which lower to whatever the baseline has). The vec.hpp of the instruction sets offer the
// same types and functions; a kernel written in them does the same operations on each.
//
// Floats and Ints are 16 lanes, one for each row of a panel; Bytes are 64, four for each.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/backend/cpu/kernels/common/unroll.hpp"

namespace lore::engine::cpu {
namespace {

using Floats = float __attribute__((vector_size(64)));
using Ints = std::int32_t __attribute__((vector_size(64)));
using Unsigneds = std::uint32_t __attribute__((vector_size(64)));
using Bytes = std::uint8_t __attribute__((vector_size(64)));

}  // namespace
}  // namespace lore::engine::cpu

#include "engine/backend/cpu/kernels/common/loads_inl.hpp"

namespace lore::engine::cpu {
namespace {

#ifdef LORE_UNFUSED
constexpr bool kFused = false;
#else
/// Whether `fused` rounds once.
constexpr bool kFused = true;
#endif
/// Whether dot_steps takes codes of 8 bits as signed, the offset 128 already removed.
constexpr bool kSignedBytes = false;

// Register tiles: rows (and vectors) that a kernel works on at a time.
constexpr std::size_t kManyRows = 2;    // quantized products, many
constexpr std::size_t kManyPanels = 1;  // and panels
constexpr std::size_t kFewRows = 1;     // quantized products, few
constexpr std::size_t kFloatRows = 2;   // float products
constexpr std::size_t kFloatPanels = 1;
constexpr std::size_t kAttentionRows = 2;  // attention
constexpr std::size_t kAttentionVectors = 1;

LORE_INLINE Floats broadcast(float x) { return x - Floats{}; }
LORE_INLINE Ints broadcast(std::int32_t x) { return x - Ints{}; }
LORE_INLINE Floats zero_floats() { return Floats{}; }

LORE_INLINE Floats load(const float* x) {
  Floats v;
  __builtin_memcpy(&v, x, sizeof(v));
  return v;
}
LORE_INLINE void store(float* x, Floats v) { __builtin_memcpy(x, &v, sizeof(v)); }
LORE_INLINE Bytes load_bytes(const std::uint8_t* x) {
  Bytes v;
  __builtin_memcpy(&v, x, sizeof(v));
  return v;
}
LORE_INLINE void store_bytes(std::uint8_t* x, Bytes v) { __builtin_memcpy(x, &v, sizeof(v)); }
/// The first `n` lanes from memory, zeros after them.
LORE_INLINE Floats load_part(const float* x, std::size_t n) {
  Floats v = {};
  for (std::size_t i = 0; i < n; ++i) v[i] = x[i];
  return v;
}
LORE_INLINE void store_part(float* x, Floats v, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) x[i] = v[i];
}

LORE_INLINE Floats add(Floats a, Floats b) { return a + b; }
LORE_INLINE Floats subtract(Floats a, Floats b) { return a - b; }
LORE_INLINE Floats multiply(Floats a, Floats b) { return a * b; }
LORE_INLINE Floats divide(Floats a, Floats b) { return a / b; }
/// a * b + c in one rounding, or in two where kFused is false.
LORE_INLINE Floats fused(Floats a, Floats b, Floats c) {
  if constexpr (!kFused) return a * b + c;
  for (std::size_t i = 0; i < 16; ++i) c[i] = __builtin_fmaf(a[i], b[i], c[i]);
  return c;
}
/// a * b + c in one rounding where the machine does that for nothing, here in two.
LORE_INLINE Floats multiply_add(Floats a, Floats b, Floats c) { return a * b + c; }
/// a > b ? a : b, so that a NaN in b comes through.
LORE_INLINE Floats maximum(Floats a, Floats b) { return a > b ? a : b; }
LORE_INLINE Floats minimum(Floats a, Floats b) { return a < b ? a : b; }
LORE_INLINE Floats square_root(Floats a) {
  for (std::size_t i = 0; i < 16; ++i) a[i] = __builtin_sqrtf(a[i]);
  return a;
}

LORE_INLINE Ints as_ints(Floats x) { return (Ints)x; }
LORE_INLINE Floats as_floats(Ints x) { return (Floats)x; }
// Like the instructions, these wrap around.
LORE_INLINE Ints add(Ints a, Ints b) { return (Ints)((Unsigneds)a + (Unsigneds)b); }
LORE_INLINE Ints bit_and(Ints a, Ints b) { return a & b; }
LORE_INLINE Ints bit_or(Ints a, Ints b) { return a | b; }
template <unsigned kShift>
LORE_INLINE Ints shift_left(Ints x) {
  return (Ints)((Unsigneds)x << kShift);
}
template <unsigned kShift>
LORE_INLINE Ints shift_right(Ints x) {
  return (Ints)((Unsigneds)x >> kShift);
}
LORE_INLINE Floats to_floats(Ints x) { return __builtin_convertvector(x, Floats); }
/// To nearest, ties to even, for magnitudes below 2^22; others give any number.
LORE_INLINE Ints to_ints(Floats x) {
  // Adding 1.5 * 2^23 leaves the integer in the low bits of the significand.
  return add(as_ints(x + 12582912.0F), broadcast(-0x4B400000));
}
/// x where a < b, else y.
LORE_INLINE Floats select_less(Floats a, Floats b, Floats x, Floats y) { return a < b ? x : y; }
/// Lane i: x where begin <= first + i < end, else y.
LORE_INLINE Floats select_range(std::int32_t first, std::int32_t begin, std::int32_t end, Floats x,
                                Floats y) {
  const Ints lane = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  const Ints index = lane + first;
  return ((index >= begin) & (index < end)) != 0 ? x : y;
}

/// The sum of the lanes, as a tree of halves: i + (i + 8), then 4, 2, 1.
LORE_INLINE float sum_lanes(Floats x) {
  for (std::size_t half = 8; half > 0; half /= 2) {
    for (std::size_t i = 0; i < half; ++i) x[i] += x[i + half];
  }
  return x[0];
}
LORE_INLINE float max_lanes(Floats x) {
  for (std::size_t half = 8; half > 0; half /= 2) {
    for (std::size_t i = 0; i < half; ++i) x[i] = x[i] > x[i + half] ? x[i] : x[i + half];
  }
  return x[0];
}
LORE_INLINE std::int32_t sum_lanes(Ints x) {
  std::int32_t sum = 0;
  for (std::size_t i = 0; i < 16; ++i) sum += x[i];
  return sum;
}
LORE_INLINE std::int32_t max_lanes(Ints x) {
  std::int32_t most = x[0];
  for (std::size_t i = 1; i < 16; ++i) most = x[i] > most ? x[i] : most;
  return most;
}
LORE_INLINE Ints maximum(Ints a, Ints b) { return a > b ? a : b; }

LORE_INLINE Ints load_u16(const void* x) {
  std::uint16_t halves[16];
  __builtin_memcpy(halves, x, sizeof(halves));
  Ints v = {};
  for (std::size_t i = 0; i < 16; ++i) v[i] = halves[i];
  return v;
}

// Sixteen binary16 values from memory. Exact: shifting the bits into place leaves an exponent that
// is 112 too small, which a product with 2^112 repairs, for subnormals too.
LORE_INLINE Floats load_f16(const void* x) {
  const Ints bits = load_u16(x);
  const Ints magnitude = bits & 0x7FFF;
  const Floats scaled = as_floats(magnitude << 13) * 0x1p112F;
  // Infinity and NaN come out as 2^16 and above: give them the full exponent; quiet the NaNs.
  const Ints special =
      (magnitude << 13) | 0x7F800000 | (magnitude > 0x7C00 ? Ints{} + 0x400000 : Ints{});
  const Ints value = magnitude >= 0x7C00 ? special : as_ints(scaled);
  return as_floats(value | shift_left<16>(bits & 0x8000));
}
/// The even and the odd halves of 16 pairs.
LORE_INLINE void load_f16_pairs(const void* x, Floats& even, Floats& odd) {
  std::uint16_t pairs[32];
  std::uint16_t halves[2][16];
  __builtin_memcpy(pairs, x, sizeof(pairs));
  for (std::size_t i = 0; i < 32; ++i) halves[i % 2][i / 2] = pairs[i];
  even = load_f16(halves[0]);
  odd = load_f16(halves[1]);
}
LORE_INLINE void load_bf16_pairs(const void* x, Floats& even, Floats& odd) {
  Ints pairs;
  __builtin_memcpy(&pairs, x, sizeof(pairs));
  even = as_floats(shift_left<16>(pairs));
  odd = as_floats(shift_left<16>(shift_right<16>(pairs)));
}
LORE_INLINE std::uint16_t half_from_float(float value) {
  std::uint32_t bits;
  __builtin_memcpy(&bits, &value, sizeof(bits));
  const std::uint32_t sign = (bits >> 16) & 0x8000U;
  const std::uint32_t magnitude = bits & 0x7FFFFFFFU;
  if (magnitude > 0x7F800000U) {
    return static_cast<std::uint16_t>(sign | 0x7E00U | ((magnitude >> 13) & 0x3FFU));
  }
  if (magnitude >= 0x477FF000U) return static_cast<std::uint16_t>(sign | 0x7C00U);
  if (magnitude < 0x38800000U) {
    float shifted;
    __builtin_memcpy(&shifted, &magnitude, sizeof(shifted));
    shifted += 0.5F;
    std::uint32_t moved;
    __builtin_memcpy(&moved, &shifted, sizeof(moved));
    return static_cast<std::uint16_t>(sign | (moved - 0x3F000000U));
  }
  const std::uint32_t odd = (magnitude >> 13) & 1U;
  return static_cast<std::uint16_t>(sign | ((magnitude - 0x38000000U + 0xFFFU + odd) >> 13));
}
LORE_INLINE void store_f16(void* x, Floats v) {
  std::uint16_t halves[16];
  for (std::size_t i = 0; i < 16; ++i) halves[i] = half_from_float(v[i]);
  __builtin_memcpy(x, halves, sizeof(halves));
}
/// Rounds to nearest even; a NaN stays one.
LORE_INLINE void store_bf16(void* x, Floats v) {
  const Ints bits = as_ints(v);
  const Ints odd = shift_right<16>(bits) & 1;
  const Ints rounded = shift_right<16>(add(bits, odd + 0x7FFF));
  const Ints quiet = shift_right<16>(bits) | 0x40;
  const Ints value = (bits & 0x7FFFFFFF) > 0x7F800000 ? quiet : rounded;
  std::uint16_t halves[16];
  for (std::size_t i = 0; i < 16; ++i) halves[i] = static_cast<std::uint16_t>(value[i]);
  __builtin_memcpy(x, halves, sizeof(halves));
}
LORE_INLINE Ints load_i8(const void* x) {
  std::int8_t bytes[16];
  __builtin_memcpy(bytes, x, sizeof(bytes));
  Ints v = {};
  for (std::size_t i = 0; i < 16; ++i) v[i] = bytes[i];
  return v;
}
LORE_INLINE Ints load_u8(const void* x) {
  std::uint8_t bytes[16];
  __builtin_memcpy(bytes, x, sizeof(bytes));
  Ints v = {};
  for (std::size_t i = 0; i < 16; ++i) v[i] = bytes[i];
  return v;
}
/// The low bytes of the lanes.
LORE_INLINE void store_i8(std::int8_t* x, Ints v) {
  for (std::size_t i = 0; i < 16; ++i) x[i] = static_cast<std::int8_t>(v[i]);
}

template <unsigned kShift>
LORE_INLINE Bytes shift_right(Bytes x) {
  return x >> kShift;
}
template <unsigned kShift>
LORE_INLINE Bytes shift_left(Bytes x) {
  return x << kShift;
}
LORE_INLINE Bytes bit_and(Bytes x, std::uint8_t mask) { return x & (mask - Bytes{}); }
LORE_INLINE Bytes bit_or(Bytes a, Bytes b) { return a | b; }

LORE_INLINE void prefetch(const void* x) { __builtin_prefetch(x); }
LORE_INLINE void prefetch_far(const void* x) { __builtin_prefetch(x); }

/// sums[r] += the dot products of kSteps steps: the 4 codes of each of the 16 panel rows times the
/// 4 activations of row r, for every step. `codes(Index<s>)` gives step s; no code is above
/// kMostCode. Exact. Activation row r stands at x + 8 * eighths[r].
template <std::size_t kRows, std::size_t kSteps, unsigned kMostCode, typename Codes>
LORE_INLINE void dot_steps(Codes codes, const std::int8_t* x, const std::size_t* eighths,
                           Ints* sums) {
  unroll<kSteps>([&](auto step) LORE_INLINE_LAMBDA {
    const Bytes lanes = codes(step);
    std::uint8_t code[64];
    store_bytes(code, lanes);
    for (std::size_t r = 0; r < kRows; ++r) {
      const std::int8_t* a = x + 8 * eighths[r] + 4 * step.value;
      std::int32_t sum[16];
      for (std::size_t i = 0; i < 16; ++i) {
        sum[i] = code[4 * i] * a[0] + code[4 * i + 1] * a[1] + code[4 * i + 2] * a[2] +
                 code[4 * i + 3] * a[3];
      }
      Ints added;
      __builtin_memcpy(&added, sum, sizeof(added));
      sums[r] += added;
    }
  });
}

/// Exchanges rows and columns of 16 x 16 floats.
LORE_INLINE void transpose(Floats* rows) {
  for (std::size_t i = 0; i < 16; ++i) {
    for (std::size_t j = i + 1; j < 16; ++j) {
      const float swapped = rows[i][j];
      rows[i][j] = rows[j][i];
      rows[j][i] = swapped;
    }
  }
}

}  // namespace
}  // namespace lore::engine::cpu
