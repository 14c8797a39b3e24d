// The vectors of scalar/vec.hpp in AVX-512 (F, BW, DQ, VL), one register each. With VNNI where the
// unit is compiled for it.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "engine/backend/cpu/kernels/common/unroll.hpp"

namespace lore::engine::cpu {
namespace {

using Floats = __m512;
using Ints = __m512i;
struct Bytes {
  __m512i v;
};

}  // namespace
}  // namespace lore::engine::cpu

#include "engine/backend/cpu/kernels/common/loads_inl.hpp"

namespace lore::engine::cpu {
namespace {

constexpr bool kFused = true;
#ifdef __AVX512VNNI__
constexpr bool kSignedBytes = false;
constexpr std::size_t kManyRows = 6;
constexpr std::size_t kManyPanels = 2;
#else
constexpr bool kSignedBytes = true;
constexpr std::size_t kManyRows = 8;
constexpr std::size_t kManyPanels = 1;
#endif
constexpr std::size_t kFewRows = 4;
constexpr std::size_t kFloatRows = 12;
constexpr std::size_t kFloatPanels = 2;
constexpr std::size_t kAttentionRows = 6;
constexpr std::size_t kAttentionVectors = 4;

LORE_INLINE Floats broadcast(float x) { return _mm512_set1_ps(x); }
LORE_INLINE Ints broadcast(std::int32_t x) { return _mm512_set1_epi32(x); }
LORE_INLINE Floats zero_floats() { return _mm512_setzero_ps(); }

LORE_INLINE Floats load(const float* x) { return _mm512_loadu_ps(x); }
LORE_INLINE void store(float* x, Floats v) { _mm512_storeu_ps(x, v); }
LORE_INLINE Bytes load_bytes(const std::uint8_t* x) { return {_mm512_loadu_si512(x)}; }
LORE_INLINE void store_bytes(std::uint8_t* x, Bytes v) { _mm512_storeu_si512(x, v.v); }
LORE_INLINE __mmask16 first_lanes(std::size_t n) { return static_cast<__mmask16>((1U << n) - 1U); }
LORE_INLINE Floats load_part(const float* x, std::size_t n) {
  return _mm512_maskz_loadu_ps(first_lanes(n), x);
}
LORE_INLINE void store_part(float* x, Floats v, std::size_t n) {
  _mm512_mask_storeu_ps(x, first_lanes(n), v);
}

LORE_INLINE Floats add(Floats a, Floats b) { return _mm512_add_ps(a, b); }
LORE_INLINE Floats subtract(Floats a, Floats b) { return _mm512_sub_ps(a, b); }
LORE_INLINE Floats multiply(Floats a, Floats b) { return _mm512_mul_ps(a, b); }
LORE_INLINE Floats divide(Floats a, Floats b) { return _mm512_div_ps(a, b); }
LORE_INLINE Floats fused(Floats a, Floats b, Floats c) { return _mm512_fmadd_ps(a, b, c); }
LORE_INLINE Floats multiply_add(Floats a, Floats b, Floats c) { return _mm512_fmadd_ps(a, b, c); }
LORE_INLINE Floats maximum(Floats a, Floats b) { return _mm512_max_ps(a, b); }
LORE_INLINE Floats minimum(Floats a, Floats b) { return _mm512_min_ps(a, b); }
LORE_INLINE Floats square_root(Floats a) { return _mm512_sqrt_ps(a); }

LORE_INLINE Ints as_ints(Floats x) { return _mm512_castps_si512(x); }
LORE_INLINE Floats as_floats(Ints x) { return _mm512_castsi512_ps(x); }
LORE_INLINE Ints add(Ints a, Ints b) { return _mm512_add_epi32(a, b); }
LORE_INLINE Ints bit_and(Ints a, Ints b) { return _mm512_and_si512(a, b); }
LORE_INLINE Ints bit_or(Ints a, Ints b) { return _mm512_or_si512(a, b); }
LORE_INLINE Ints maximum(Ints a, Ints b) { return _mm512_max_epi32(a, b); }
template <unsigned kShift>
LORE_INLINE Ints shift_left(Ints x) {
  return _mm512_slli_epi32(x, kShift);
}
template <unsigned kShift>
LORE_INLINE Ints shift_right(Ints x) {
  return _mm512_srli_epi32(x, kShift);
}
LORE_INLINE Floats to_floats(Ints x) { return _mm512_cvtepi32_ps(x); }
LORE_INLINE Ints to_ints(Floats x) { return _mm512_cvtps_epi32(x); }
LORE_INLINE Floats select_less(Floats a, Floats b, Floats x, Floats y) {
  return _mm512_mask_blend_ps(_mm512_cmp_ps_mask(a, b, _CMP_LT_OQ), y, x);
}
LORE_INLINE Floats select_range(std::int32_t first, std::int32_t begin, std::int32_t end, Floats x,
                                Floats y) {
  const Ints index = _mm512_add_epi32(
      _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15), broadcast(first));
  const __mmask16 from = _mm512_cmpge_epi32_mask(index, broadcast(begin));
  return _mm512_mask_blend_ps(_mm512_mask_cmplt_epi32_mask(from, index, broadcast(end)), y, x);
}

LORE_INLINE float sum_lanes(Floats x) {
  const __m256 eight = _mm256_add_ps(_mm512_castps512_ps256(x), _mm512_extractf32x8_ps(x, 1));
  const __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
  const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
}
LORE_INLINE float max_lanes(Floats x) {
  const __m256 eight = _mm256_max_ps(_mm512_castps512_ps256(x), _mm512_extractf32x8_ps(x, 1));
  const __m128 four = _mm_max_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
  const __m128 two = _mm_max_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_max_ss(two, _mm_movehdup_ps(two)));
}
LORE_INLINE std::int32_t sum_lanes(Ints x) {
  const __m256i eight =
      _mm256_add_epi32(_mm512_castsi512_si256(x), _mm512_extracti64x4_epi64(x, 1));
  __m128i four = _mm_add_epi32(_mm256_castsi256_si128(eight), _mm256_extracti128_si256(eight, 1));
  four = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0x4E));
  return _mm_cvtsi128_si32(_mm_add_epi32(four, _mm_shuffle_epi32(four, 0xB1)));
}
LORE_INLINE std::int32_t max_lanes(Ints x) {
  const __m256i eight =
      _mm256_max_epi32(_mm512_castsi512_si256(x), _mm512_extracti64x4_epi64(x, 1));
  __m128i four = _mm_max_epi32(_mm256_castsi256_si128(eight), _mm256_extracti128_si256(eight, 1));
  four = _mm_max_epi32(four, _mm_shuffle_epi32(four, 0x4E));
  return _mm_cvtsi128_si32(_mm_max_epi32(four, _mm_shuffle_epi32(four, 0xB1)));
}

LORE_INLINE __m256i load_256(const void* x) {
  return _mm256_loadu_si256(static_cast<const __m256i*>(x));
}
LORE_INLINE __m128i load_128(const void* x) {
  return _mm_loadu_si128(static_cast<const __m128i*>(x));
}
LORE_INLINE Ints load_u16(const void* x) { return _mm512_cvtepu16_epi32(load_256(x)); }
LORE_INLINE Ints load_i8(const void* x) { return _mm512_cvtepi8_epi32(load_128(x)); }
LORE_INLINE Ints load_u8(const void* x) { return _mm512_cvtepu8_epi32(load_128(x)); }
LORE_INLINE void store_i8(std::int8_t* x, Ints v) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(x), _mm512_cvtepi32_epi8(v));
}
LORE_INLINE Floats load_f16(const void* x) { return _mm512_cvtph_ps(load_256(x)); }
LORE_INLINE void load_f16_pairs(const void* x, Floats& even, Floats& odd) {
  const __m512i pairs = _mm512_loadu_si512(x);
  even = _mm512_cvtph_ps(_mm512_cvtepi32_epi16(pairs));
  odd = _mm512_cvtph_ps(_mm512_cvtepi32_epi16(_mm512_srli_epi32(pairs, 16)));
}
LORE_INLINE void load_bf16_pairs(const void* x, Floats& even, Floats& odd) {
  const __m512i pairs = _mm512_loadu_si512(x);
  even = as_floats(_mm512_slli_epi32(pairs, 16));
  odd = as_floats(_mm512_and_si512(pairs, _mm512_set1_epi32(-65536)));
}
LORE_INLINE void store_f16(void* x, Floats v) {
  _mm256_storeu_si256(static_cast<__m256i*>(x),
                      _mm512_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
}
/// Each lane rounded to bfloat16, in its low half.
LORE_INLINE Ints round_to_bf16(Floats v) {
  const Ints bits = as_ints(v);
  const Ints odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
  const Ints rounded = _mm512_add_epi32(bits, _mm512_add_epi32(odd, _mm512_set1_epi32(0x7FFF)));
  const __mmask16 nan = _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q);
  const Ints quiet = _mm512_or_si512(bits, _mm512_set1_epi32(0x400000));
  return _mm512_srli_epi32(_mm512_mask_mov_epi32(rounded, nan, quiet), 16);
}
LORE_INLINE void store_bf16(void* x, Floats v) {
  _mm256_storeu_si256(static_cast<__m256i*>(x), _mm512_cvtepi32_epi16(round_to_bf16(v)));
}

template <unsigned kShift>
LORE_INLINE Bytes shift_right(Bytes x) {
  // Bits that cross from one byte into the next are masked away by the caller.
  return {_mm512_srli_epi16(x.v, kShift)};
}
template <unsigned kShift>
LORE_INLINE Bytes shift_left(Bytes x) {
  return {_mm512_slli_epi16(x.v, kShift)};
}
LORE_INLINE Bytes bit_and(Bytes x, std::uint8_t mask) {
  return {_mm512_and_si512(x.v, _mm512_set1_epi8(static_cast<char>(mask)))};
}
LORE_INLINE Bytes bit_or(Bytes a, Bytes b) { return {_mm512_or_si512(a.v, b.v)}; }

LORE_INLINE void prefetch(const void* x) { _mm_prefetch(static_cast<const char*>(x), _MM_HINT_T0); }
/// Into the second-level cache.
LORE_INLINE void prefetch_far(const void* x) {
  _mm_prefetch(static_cast<const char*>(x), _MM_HINT_T1);
}

#ifdef __AVX512VNNI__

/// sum += codes of 16 rows times the 4 activations at x + 8 * eighth + kOffset. As assembly: GCC 12
/// neither folds the broadcast into the instruction nor keeps the address in this form, and either
/// runs out of registers. The last operand says which memory may be read.
template <std::size_t kOffset>
LORE_INLINE void dot_broadcast(Ints& sum, Bytes code, const std::int8_t* x, std::size_t eighth) {
  asm("vpdpbusd %c4(%2,%3,8)%{1to16%}, %1, %0"
      : "+v"(sum)
      : "v"(code.v), "r"(x), "r"(eighth), "i"(kOffset),
        "m"(*reinterpret_cast<const std::int8_t(*)[1 << 24]>(x)));
}

/// The 4 activations at x + 8 * eighth + kOffset in every lane.
template <std::size_t kOffset>
LORE_INLINE Ints broadcast_at(const std::int8_t* x, std::size_t eighth) {
  Ints lanes;
  asm("vpbroadcastd %c3(%1,%2,8), %0"
      : "=v"(lanes)
      : "r"(x), "r"(eighth), "i"(kOffset),
        "m"(*reinterpret_cast<const std::int8_t(*)[1 << 24]>(x)));
  return lanes;
}

template <std::size_t kRows, std::size_t kSteps, unsigned kMostCode, typename Codes>
LORE_INLINE void dot_steps(Codes codes, const std::int8_t* x, const std::size_t* eighths,
                           Ints* sums) {
  unroll<kSteps>([&](auto step) LORE_INLINE_LAMBDA {
    const Bytes code = codes(step);
    LORE_UNROLL
    for (std::size_t r = 0; r < kRows; ++r) {
      dot_broadcast<4 * step.value>(sums[r], code, x, eighths[r]);
    }
  });
}

/// The same for several panels: sums[row][panel] += codes(panel, step) times row `row`. A broadcast
/// serves all panels, so that loads do not hold up the products.
template <std::size_t kRows, std::size_t kPanels, std::size_t kSteps, typename Codes>
LORE_INLINE void dot_panels(Codes codes, const std::int8_t* x, const std::size_t* eighths,
                            Ints (&sums)[kRows][kPanels]) {
  unroll<kSteps>([&](auto step) LORE_INLINE_LAMBDA {
    Bytes code[kPanels];
    unroll<kPanels>([&](auto panel) LORE_INLINE_LAMBDA { code[panel.value] = codes(panel, step); });
    LORE_UNROLL
    for (std::size_t r = 0; r < kRows; ++r) {
      const Ints activation = broadcast_at<4 * step.value>(x, eighths[r]);
      LORE_UNROLL
      for (std::size_t p = 0; p < kPanels; ++p) {
        sums[r][p] = _mm512_dpbusd_epi32(sums[r][p], code[p].v, activation);
      }
    }
  });
}

#else

// Without VNNI pairs are summed in 16 bits, which hold kFit steps.
template <std::size_t kRows, std::size_t kSteps, unsigned kMostCode, typename Codes>
LORE_INLINE void dot_steps(Codes codes, const std::int8_t* x, const std::size_t* eighths,
                           Ints* sums) {
  constexpr bool kSigned = kMostCode == 255;
  constexpr std::size_t kFit = 32767 / (2 * 127 * (kSigned ? 128 : kMostCode));
  Ints words[kRows];
  unroll<kSteps>([&](auto step) LORE_INLINE_LAMBDA {
    constexpr std::size_t kStep = step.value;
    __m512i code = codes(step).v;
    __mmask64 negative = 0;
    if constexpr (kSigned) {
      // The code's sign goes to the activation: magnitudes up to 128 do not overflow.
      code = _mm512_xor_si512(code, _mm512_set1_epi8(-128));
      negative = _mm512_movepi8_mask(code);
      code = _mm512_abs_epi8(code);
    }
    LORE_UNROLL
    for (std::size_t r = 0; r < kRows; ++r) {
      Ints activation = broadcast_int(x + 8 * eighths[r] + 4 * kStep);
      if constexpr (kSigned) {
        activation = _mm512_mask_sub_epi8(activation, negative, _mm512_setzero_si512(), activation);
      }
      const __m512i pairs = _mm512_maddubs_epi16(code, activation);
      words[r] = kStep % kFit == 0 ? pairs : _mm512_add_epi16(words[r], pairs);
      if constexpr (kStep % kFit == kFit - 1 || kStep == kSteps - 1) {
        const Ints fours = _mm512_madd_epi16(words[r], _mm512_set1_epi16(1));
        sums[r] = _mm512_add_epi32(sums[r], fours);
      }
    }
  });
}

#endif

LORE_INLINE void transpose(Floats* rows) {
  __m512 pairs[16];
  for (std::size_t i = 0; i < 16; i += 2) {
    pairs[i] = _mm512_unpacklo_ps(rows[i], rows[i + 1]);
    pairs[i + 1] = _mm512_unpackhi_ps(rows[i], rows[i + 1]);
  }
  __m512 fours[16];
  for (std::size_t i = 0; i < 16; i += 4) {
    fours[i] = _mm512_shuffle_ps(pairs[i], pairs[i + 2], 0x44);
    fours[i + 1] = _mm512_shuffle_ps(pairs[i], pairs[i + 2], 0xEE);
    fours[i + 2] = _mm512_shuffle_ps(pairs[i + 1], pairs[i + 3], 0x44);
    fours[i + 3] = _mm512_shuffle_ps(pairs[i + 1], pairs[i + 3], 0xEE);
  }
  __m512 eights[16];
  for (std::size_t i = 0; i < 4; ++i) {
    eights[i] = _mm512_shuffle_f32x4(fours[i], fours[i + 4], 0x88);
    eights[i + 4] = _mm512_shuffle_f32x4(fours[i], fours[i + 4], 0xDD);
    eights[i + 8] = _mm512_shuffle_f32x4(fours[i + 8], fours[i + 12], 0x88);
    eights[i + 12] = _mm512_shuffle_f32x4(fours[i + 8], fours[i + 12], 0xDD);
  }
  for (std::size_t i = 0; i < 4; ++i) {
    rows[i] = _mm512_shuffle_f32x4(eights[i], eights[i + 8], 0x88);
    rows[i + 8] = _mm512_shuffle_f32x4(eights[i], eights[i + 8], 0xDD);
    rows[i + 4] = _mm512_shuffle_f32x4(eights[i + 4], eights[i + 12], 0x88);
    rows[i + 12] = _mm512_shuffle_f32x4(eights[i + 4], eights[i + 12], 0xDD);
  }
}

}  // namespace
}  // namespace lore::engine::cpu
