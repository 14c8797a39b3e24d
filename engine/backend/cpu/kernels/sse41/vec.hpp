// The vectors of scalar/vec.hpp in SSE4.1 (with SSSE3): four registers each.
#pragma once

#include <smmintrin.h>

#include <cstddef>
#include <cstdint>

#include "engine/backend/cpu/kernels/common/unroll.hpp"

namespace lore::engine::cpu {
namespace {

using FloatRegister = __m128;
using IntRegister = __m128i;
using ByteRegister = __m128i;

}  // namespace
}  // namespace lore::engine::cpu

#include "engine/backend/cpu/kernels/common/four_registers_inl.hpp"

namespace lore::engine::cpu {
namespace {

constexpr bool kFused = false;
constexpr bool kSignedBytes = true;
// Sixteen registers hold the sums of two rows, four each, and what is added to them.
constexpr std::size_t kManyRows = 2;
constexpr std::size_t kManyPanels = 1;
constexpr std::size_t kFewRows = 2;
constexpr std::size_t kFloatRows = 2;
constexpr std::size_t kFloatPanels = 1;
constexpr std::size_t kAttentionRows = 2;
constexpr std::size_t kAttentionVectors = 1;

LORE_INLINE Floats broadcast(float x) {
  const __m128 all = _mm_set1_ps(x);
  return {{all, all, all, all}};
}
LORE_INLINE Ints broadcast(std::int32_t x) {
  const __m128i all = _mm_set1_epi32(x);
  return {{all, all, all, all}};
}

LORE_INLINE Floats load(const float* x) {
  return floats([&](int i) LORE_INLINE_LAMBDA { return _mm_loadu_ps(x + std::ptrdiff_t{4} * i); });
}
LORE_INLINE void store(float* x, Floats v) {
  unroll<4>([&](auto i) LORE_INLINE_LAMBDA { _mm_storeu_ps(x + 4 * i.value, v.v[i.value]); });
}
LORE_INLINE __m128i load_128(const void* x) {
  return _mm_loadu_si128(static_cast<const __m128i*>(x));
}
LORE_INLINE Bytes load_bytes(const std::uint8_t* x) {
  return bytes([&](int i) LORE_INLINE_LAMBDA { return load_128(x + std::ptrdiff_t{16} * i); });
}
LORE_INLINE void store_bytes(std::uint8_t* x, Bytes v) {
  unroll<4>([&](auto i) LORE_INLINE_LAMBDA {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(x + 16 * i.value), v.v[i.value]);
  });
}

LORE_INLINE Floats add(Floats x, Floats y) {
  return floats([&](int i) LORE_INLINE_LAMBDA { return _mm_add_ps(x.v[i], y.v[i]); });
}
LORE_INLINE Floats subtract(Floats x, Floats y) {
  return floats([&](int i) LORE_INLINE_LAMBDA { return _mm_sub_ps(x.v[i], y.v[i]); });
}
LORE_INLINE Floats multiply(Floats x, Floats y) {
  return floats([&](int i) LORE_INLINE_LAMBDA { return _mm_mul_ps(x.v[i], y.v[i]); });
}
LORE_INLINE Floats divide(Floats x, Floats y) {
  return floats([&](int i) LORE_INLINE_LAMBDA { return _mm_div_ps(x.v[i], y.v[i]); });
}
LORE_INLINE Floats multiply_add(Floats x, Floats y, Floats z) { return add(multiply(x, y), z); }
/// In two roundings (kFused). One would take the product and the sum in double, where the product
/// is exact, the sum rounded to odd, and both conversions: more than the integer products cost.
LORE_INLINE Floats fused(Floats x, Floats y, Floats z) { return multiply_add(x, y, z); }
LORE_INLINE Floats maximum(Floats x, Floats y) {
  return floats([&](int i) LORE_INLINE_LAMBDA { return _mm_max_ps(x.v[i], y.v[i]); });
}
LORE_INLINE Floats minimum(Floats x, Floats y) {
  return floats([&](int i) LORE_INLINE_LAMBDA { return _mm_min_ps(x.v[i], y.v[i]); });
}
LORE_INLINE Floats square_root(Floats x) {
  return floats([&](int i) LORE_INLINE_LAMBDA { return _mm_sqrt_ps(x.v[i]); });
}

LORE_INLINE Ints as_ints(Floats x) {
  return ints([&](int i) LORE_INLINE_LAMBDA { return _mm_castps_si128(x.v[i]); });
}
LORE_INLINE Floats as_floats(Ints x) {
  return floats([&](int i) LORE_INLINE_LAMBDA { return _mm_castsi128_ps(x.v[i]); });
}
LORE_INLINE Ints add(Ints x, Ints y) {
  return ints([&](int i) LORE_INLINE_LAMBDA { return _mm_add_epi32(x.v[i], y.v[i]); });
}
LORE_INLINE Ints bit_and(Ints x, Ints y) {
  return ints([&](int i) LORE_INLINE_LAMBDA { return _mm_and_si128(x.v[i], y.v[i]); });
}
LORE_INLINE Ints maximum(Ints x, Ints y) {
  return ints([&](int i) LORE_INLINE_LAMBDA { return _mm_max_epi32(x.v[i], y.v[i]); });
}
template <unsigned kShift>
LORE_INLINE Ints shift_left(Ints x) {
  return ints([&](int i) LORE_INLINE_LAMBDA { return _mm_slli_epi32(x.v[i], kShift); });
}
template <unsigned kShift>
LORE_INLINE Ints shift_right(Ints x) {
  return ints([&](int i) LORE_INLINE_LAMBDA { return _mm_srli_epi32(x.v[i], kShift); });
}
LORE_INLINE Floats to_floats(Ints x) {
  return floats([&](int i) LORE_INLINE_LAMBDA { return _mm_cvtepi32_ps(x.v[i]); });
}
LORE_INLINE Ints to_ints(Floats x) {
  return ints([&](int i) LORE_INLINE_LAMBDA { return _mm_cvtps_epi32(x.v[i]); });
}
LORE_INLINE Floats select_less(Floats x, Floats y, Floats yes, Floats no) {
  return floats([&](int i) LORE_INLINE_LAMBDA {
    return _mm_blendv_ps(no.v[i], yes.v[i], _mm_cmplt_ps(x.v[i], y.v[i]));
  });
}
LORE_INLINE Floats select_range(std::int32_t first, std::int32_t begin, std::int32_t end, Floats x,
                                Floats y) {
  const __m128i low = _mm_set1_epi32(begin);
  const __m128i high = _mm_set1_epi32(end);
  return floats([&](int i) LORE_INLINE_LAMBDA {
    const __m128i lane = _mm_add_epi32(_mm_setr_epi32(0, 1, 2, 3), _mm_set1_epi32(first + 4 * i));
    const __m128i inside =
        _mm_andnot_si128(_mm_cmpgt_epi32(low, lane), _mm_cmpgt_epi32(high, lane));
    return _mm_blendv_ps(y.v[i], x.v[i], _mm_castsi128_ps(inside));
  });
}

LORE_INLINE float sum_lanes(Floats x) {
  const __m128 four = _mm_add_ps(_mm_add_ps(x.v[0], x.v[2]), _mm_add_ps(x.v[1], x.v[3]));
  const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
}
LORE_INLINE float max_lanes(Floats x) {
  const __m128 four = _mm_max_ps(_mm_max_ps(x.v[0], x.v[2]), _mm_max_ps(x.v[1], x.v[3]));
  const __m128 two = _mm_max_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_max_ss(two, _mm_movehdup_ps(two)));
}
LORE_INLINE std::int32_t sum_lanes(Ints x) {
  __m128i four = _mm_add_epi32(_mm_add_epi32(x.v[0], x.v[1]), _mm_add_epi32(x.v[2], x.v[3]));
  four = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0x4E));
  return _mm_cvtsi128_si32(_mm_add_epi32(four, _mm_shuffle_epi32(four, 0xB1)));
}
LORE_INLINE std::int32_t max_lanes(Ints x) {
  __m128i four = _mm_max_epi32(_mm_max_epi32(x.v[0], x.v[1]), _mm_max_epi32(x.v[2], x.v[3]));
  four = _mm_max_epi32(four, _mm_shuffle_epi32(four, 0x4E));
  return _mm_cvtsi128_si32(_mm_max_epi32(four, _mm_shuffle_epi32(four, 0xB1)));
}

LORE_INLINE __m128i load_32(const void* x) {
  std::int32_t four;
  __builtin_memcpy(&four, x, sizeof(four));
  return _mm_cvtsi32_si128(four);
}
LORE_INLINE Ints load_i8(const void* x) {
  const auto* from = static_cast<const std::uint8_t*>(x);
  return ints([&](int i) LORE_INLINE_LAMBDA {
    return _mm_cvtepi8_epi32(load_32(from + std::ptrdiff_t{4} * i));
  });
}
LORE_INLINE Ints load_u8(const void* x) {
  const auto* from = static_cast<const std::uint8_t*>(x);
  return ints([&](int i) LORE_INLINE_LAMBDA {
    return _mm_cvtepu8_epi32(load_32(from + std::ptrdiff_t{4} * i));
  });
}
LORE_INLINE void store_i8(std::int8_t* x, Ints v) {
  const Ints low = bit_and(v, broadcast(std::int32_t{0xFF}));
  _mm_storeu_si128(
      reinterpret_cast<__m128i*>(x),
      _mm_packus_epi16(_mm_packus_epi32(low.v[0], low.v[1]), _mm_packus_epi32(low.v[2], low.v[3])));
}

/// Of 8 binary16 numbers, those whose exponent is all zeros or all ones.
LORE_INLINE __m128i outer_halves(__m128i halves) {
  const __m128i next = _mm_add_epi16(halves, _mm_set1_epi16(0x0400));
  return _mm_cmpeq_epi16(_mm_and_si128(next, _mm_set1_epi16(0x7800)), _mm_setzero_si128());
}
/// Binary16 numbers whose bits stand where those of a float do, the exponent 112 too small.
__attribute__((noinline)) inline Floats outer_floats(Ints moved) {
  return floats([&](int i) LORE_INLINE_LAMBDA {
    const __m128i magnitude = _mm_and_si128(moved.v[i], _mm_set1_epi32(0x7FFFFFFF));
    const __m128i normal = _mm_add_epi32(magnitude, _mm_set1_epi32(112 << 23));
    // A subnormal is its bits as an integer; a product of subnormal floats would be slow.
    const __m128 subnormal = _mm_mul_ps(_mm_cvtepi32_ps(magnitude), _mm_set1_ps(0x1p-37F));
    const __m128i infinity = _mm_or_si128(magnitude, _mm_set1_epi32(0x7F800000));
    const __m128i nan = _mm_cmpgt_epi32(infinity, _mm_set1_epi32(0x7F800000));
    const __m128i special =
        _mm_or_si128(infinity, _mm_and_si128(nan, _mm_set1_epi32(0x400000)));  // quiet
    __m128i value = _mm_blendv_epi8(normal, _mm_castps_si128(subnormal),
                                    _mm_cmpgt_epi32(_mm_set1_epi32(1 << 23), magnitude));
    value =
        _mm_blendv_epi8(value, special, _mm_cmpgt_epi32(magnitude, _mm_set1_epi32((31 << 23) - 1)));
    return _mm_castsi128_ps(_mm_or_si128(value, _mm_xor_si128(moved.v[i], magnitude)));
  });
}
/// Binary16 numbers in the high halves of the lanes, `outer` where there are any such.
LORE_INLINE Floats from_high_halves(Ints halves, bool outer) {
  const __m128i kept = _mm_set1_epi32(static_cast<std::int32_t>(0x8FFFE000U));
  const Ints moved = ints([&](int i) LORE_INLINE_LAMBDA {
    return _mm_and_si128(_mm_srai_epi32(halves.v[i], 3), kept);
  });
  if (__builtin_expect(outer, 0) != 0) return outer_floats(moved);
  return as_floats(add(moved, broadcast(std::int32_t{112 << 23})));
}
LORE_INLINE bool any_bit(__m128i x) { return _mm_testz_si128(x, x) == 0; }
LORE_INLINE Floats load_f16(const void* x) {
  const auto* from = static_cast<const std::uint8_t*>(x);
  const __m128i zero = _mm_setzero_si128();
  const __m128i first = load_128(from);
  const __m128i second = load_128(from + 16);
  const bool outer = any_bit(_mm_or_si128(outer_halves(first), outer_halves(second)));
  return from_high_halves({{_mm_unpacklo_epi16(zero, first), _mm_unpackhi_epi16(zero, first),
                            _mm_unpacklo_epi16(zero, second), _mm_unpackhi_epi16(zero, second)}},
                          outer);
}
LORE_INLINE Ints load_pairs(const void* x) {
  const auto* from = static_cast<const std::uint8_t*>(x);
  return ints([&](int i) LORE_INLINE_LAMBDA { return load_128(from + std::ptrdiff_t{16} * i); });
}
LORE_INLINE void load_f16_pairs(const void* x, Floats& even, Floats& odd) {
  const Ints pairs = load_pairs(x);
  const bool outer =
      any_bit(_mm_or_si128(_mm_or_si128(outer_halves(pairs.v[0]), outer_halves(pairs.v[1])),
                           _mm_or_si128(outer_halves(pairs.v[2]), outer_halves(pairs.v[3]))));
  even = from_high_halves(shift_left<16>(pairs), outer);
  odd = from_high_halves(pairs, outer);
}
LORE_INLINE void load_bf16_pairs(const void* x, Floats& even, Floats& odd) {
  const Ints pairs = load_pairs(x);
  even = as_floats(shift_left<16>(pairs));
  odd = as_floats(bit_and(pairs, broadcast(std::int32_t{-65536})));
}
/// Lanes that fit 16 bits, as 16 bits.
LORE_INLINE void store_u16(void* x, Ints v) {
  auto* to = static_cast<__m128i*>(x);
  _mm_storeu_si128(to, _mm_packus_epi32(v.v[0], v.v[1]));
  _mm_storeu_si128(to + 1, _mm_packus_epi32(v.v[2], v.v[3]));
}
LORE_INLINE __m128i half_from_float(__m128 value) {
  const __m128i bits = _mm_castps_si128(value);
  const __m128i magnitude = _mm_and_si128(bits, _mm_set1_epi32(0x7FFFFFFF));
  const __m128i cut = _mm_srli_epi32(magnitude, 13);
  // To nearest even: half a unit, less one where the last bit is even; the exponent loses 112.
  const __m128i odd = _mm_and_si128(cut, _mm_set1_epi32(1));
  const __m128i nudge = _mm_add_epi32(odd, _mm_set1_epi32(0xFFF - 0x38000000));
  const __m128i normal = _mm_srli_epi32(_mm_add_epi32(magnitude, nudge), 13);
  // Below 2^-14 the sum with a half has the units of the result at its end.
  const __m128 sum = _mm_add_ps(_mm_castsi128_ps(magnitude), _mm_set1_ps(0.5F));
  const __m128i small = _mm_sub_epi32(_mm_castps_si128(sum), _mm_set1_epi32(0x3F000000));
  const __m128i nan =
      _mm_or_si128(_mm_and_si128(cut, _mm_set1_epi32(0x3FF)), _mm_set1_epi32(0x7E00));
  __m128i half =
      _mm_blendv_epi8(normal, small, _mm_cmpgt_epi32(_mm_set1_epi32(0x38800000), magnitude));
  half = _mm_blendv_epi8(half, _mm_set1_epi32(0x7C00),
                         _mm_cmpgt_epi32(magnitude, _mm_set1_epi32(0x477FEFFF)));
  half = _mm_blendv_epi8(half, nan, _mm_cmpgt_epi32(magnitude, _mm_set1_epi32(0x7F800000)));
  return _mm_or_si128(half, _mm_and_si128(_mm_srli_epi32(bits, 16), _mm_set1_epi32(0x8000)));
}
LORE_INLINE void store_f16(void* x, Floats v) {
  store_u16(x, ints([&](int i) LORE_INLINE_LAMBDA { return half_from_float(v.v[i]); }));
}
LORE_INLINE __m128i round_to_bf16(__m128 v) {
  const __m128i bits = _mm_castps_si128(v);
  const __m128i odd = _mm_and_si128(_mm_srli_epi32(bits, 16), _mm_set1_epi32(1));
  const __m128i rounded = _mm_add_epi32(bits, _mm_add_epi32(odd, _mm_set1_epi32(0x7FFF)));
  const __m128i quiet = _mm_or_si128(bits, _mm_set1_epi32(0x400000));
  const __m128i nan = _mm_castps_si128(_mm_cmpunord_ps(v, v));
  return _mm_srli_epi32(_mm_blendv_epi8(rounded, quiet, nan), 16);
}
LORE_INLINE void store_bf16(void* x, Floats v) {
  store_u16(x, ints([&](int i) LORE_INLINE_LAMBDA { return round_to_bf16(v.v[i]); }));
}

template <unsigned kShift>
LORE_INLINE Bytes shift_right(Bytes x) {
  // Bits that cross from one byte into the next are masked away by the caller.
  return bytes([&](int i) LORE_INLINE_LAMBDA { return _mm_srli_epi16(x.v[i], kShift); });
}
template <unsigned kShift>
LORE_INLINE Bytes shift_left(Bytes x) {
  return bytes([&](int i) LORE_INLINE_LAMBDA { return _mm_slli_epi16(x.v[i], kShift); });
}
LORE_INLINE Bytes bit_and(Bytes x, std::uint8_t mask) {
  const __m128i all = _mm_set1_epi8(static_cast<char>(mask));
  return bytes([&](int i) LORE_INLINE_LAMBDA { return _mm_and_si128(x.v[i], all); });
}
LORE_INLINE Bytes bit_or(Bytes x, Bytes y) {
  return bytes([&](int i) LORE_INLINE_LAMBDA { return _mm_or_si128(x.v[i], y.v[i]); });
}

LORE_INLINE void prefetch(const void* x) { _mm_prefetch(static_cast<const char*>(x), _MM_HINT_T0); }
/// Into the second-level cache.
LORE_INLINE void prefetch_far(const void* x) {
  _mm_prefetch(static_cast<const char*>(x), _MM_HINT_T1);
}

// As in avx2/vec.hpp: pairs of products are summed in 16 bits, which hold kFit steps; of codes of 8
// bits the sign goes to the activation, so that magnitudes up to 128 do not overflow.
template <std::size_t kRows, std::size_t kSteps, unsigned kMostCode, typename Codes>
LORE_INLINE void dot_steps(Codes codes, const std::int8_t* x, const std::size_t* eighths,
                           Ints* sums) {
  constexpr bool kSigned = kMostCode == 255;
  constexpr std::size_t kFit = 32767 / (2 * 127 * (kSigned ? 128 : kMostCode));
  const __m128i ones = _mm_set1_epi16(1);
  Ints words[kRows];
  __m128i activations[kRows];  // of four steps
  unroll<kSteps>([&](auto step) LORE_INLINE_LAMBDA {
    constexpr std::size_t kStep = step.value;
    const Bytes code = codes(step);
    unroll<kRows>([&](auto row) LORE_INLINE_LAMBDA {
      constexpr std::size_t kRow = row.value;
      if constexpr (kStep % 4 == 0) {
        activations[kRow] = load_128(x + 8 * eighths[kRow] + 4 * kStep);
      }
      const __m128i activation = _mm_shuffle_epi32(activations[kRow], kStep % 4 * 0x55);
      unroll<4>([&](auto quarter) LORE_INLINE_LAMBDA {
        constexpr std::size_t kQuarter = quarter.value;
        __m128i magnitude = code.v[kQuarter];
        __m128i factor = activation;
        if constexpr (kSigned) {
          const __m128i flipped = _mm_xor_si128(magnitude, _mm_set1_epi8(-128));
          magnitude = _mm_abs_epi8(flipped);
          factor = _mm_sign_epi8(activation, flipped);
        }
        const __m128i products = _mm_maddubs_epi16(magnitude, factor);
        __m128i& word = words[kRow].v[kQuarter];
        word = kStep % kFit == 0 ? products : _mm_add_epi16(word, products);
        if constexpr (kStep % kFit == kFit - 1 || kStep == kSteps - 1) {
          __m128i& sum = sums[kRow].v[kQuarter];
          sum = _mm_add_epi32(sum, _mm_madd_epi16(word, ones));
        }
      });
    });
  });
}

LORE_INLINE void transpose(Floats* rows) {
  unroll<4>([&](auto i) LORE_INLINE_LAMBDA {
    unroll<i.value + 1>([&](auto j) LORE_INLINE_LAMBDA {
      constexpr std::size_t kI = i.value;
      constexpr std::size_t kJ = j.value;
      __m128 a[4];
      __m128 b[4];
      for (std::size_t k = 0; k < 4; ++k) {
        a[k] = rows[4 * kI + k].v[kJ];
        b[k] = rows[4 * kJ + k].v[kI];
      }
      _MM_TRANSPOSE4_PS(a[0], a[1], a[2], a[3]);
      if constexpr (kI != kJ) _MM_TRANSPOSE4_PS(b[0], b[1], b[2], b[3]);
      for (std::size_t k = 0; k < 4; ++k) {
        rows[4 * kJ + k].v[kI] = a[k];
        if constexpr (kI != kJ) rows[4 * kI + k].v[kJ] = b[k];
      }
    });
  });
}

}  // namespace
}  // namespace lore::engine::cpu
