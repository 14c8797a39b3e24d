// The vectors of scalar/vec.hpp in AVX2, FMA and F16C: two registers each. With AVX-VNNI where the
// unit is compiled for it.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "engine/backend/cpu/kernels/common/unroll.hpp"

namespace lore::engine::cpu {
namespace {

/// Lanes 0 … 7 and 8 … 15.
struct Floats {
  __m256 a;
  __m256 b;
};
struct Ints {
  __m256i a;
  __m256i b;
};
struct Bytes {
  __m256i a;
  __m256i b;
};

}  // namespace
}  // namespace lore::engine::cpu

#include "engine/backend/cpu/kernels/common/loads_inl.hpp"

namespace lore::engine::cpu {
namespace {

constexpr bool kFused = true;
#ifdef __AVXVNNI__
constexpr bool kSignedBytes = false;
#else
constexpr bool kSignedBytes = true;
#endif
constexpr std::size_t kManyRows = 4;
constexpr std::size_t kManyPanels = 1;
constexpr std::size_t kFewRows = 4;
constexpr std::size_t kFloatRows = 6;
constexpr std::size_t kFloatPanels = 1;
constexpr std::size_t kAttentionRows = 6;
constexpr std::size_t kAttentionVectors = 1;

LORE_INLINE Floats broadcast(float x) { return {_mm256_set1_ps(x), _mm256_set1_ps(x)}; }
LORE_INLINE Ints broadcast(std::int32_t x) { return {_mm256_set1_epi32(x), _mm256_set1_epi32(x)}; }
LORE_INLINE Floats zero_floats() { return {_mm256_setzero_ps(), _mm256_setzero_ps()}; }

LORE_INLINE Floats load(const float* x) { return {_mm256_loadu_ps(x), _mm256_loadu_ps(x + 8)}; }
LORE_INLINE void store(float* x, Floats v) {
  _mm256_storeu_ps(x, v.a);
  _mm256_storeu_ps(x + 8, v.b);
}
LORE_INLINE __m256i load_256(const void* x) {
  return _mm256_loadu_si256(static_cast<const __m256i*>(x));
}
LORE_INLINE __m128i load_128(const void* x) {
  return _mm_loadu_si128(static_cast<const __m128i*>(x));
}
LORE_INLINE __m128i load_64(const void* x) {
  return _mm_loadl_epi64(static_cast<const __m128i*>(x));
}
LORE_INLINE Bytes load_bytes(const std::uint8_t* x) { return {load_256(x), load_256(x + 32)}; }
LORE_INLINE void store_bytes(std::uint8_t* x, Bytes v) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(x), v.a);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(x + 32), v.b);
}
/// All bits set in the lanes below n.
LORE_INLINE Ints first_lanes(std::size_t n) {
  const __m256i count = _mm256_set1_epi32(static_cast<std::int32_t>(n));
  const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  return {_mm256_cmpgt_epi32(count, lane),
          _mm256_cmpgt_epi32(count, _mm256_add_epi32(lane, _mm256_set1_epi32(8)))};
}
LORE_INLINE Floats load_part(const float* x, std::size_t n) {
  const Ints mask = first_lanes(n);
  return {_mm256_maskload_ps(x, mask.a), _mm256_maskload_ps(x + 8, mask.b)};
}
LORE_INLINE void store_part(float* x, Floats v, std::size_t n) {
  const Ints mask = first_lanes(n);
  _mm256_maskstore_ps(x, mask.a, v.a);
  _mm256_maskstore_ps(x + 8, mask.b, v.b);
}

LORE_INLINE Floats add(Floats x, Floats y) {
  return {_mm256_add_ps(x.a, y.a), _mm256_add_ps(x.b, y.b)};
}
LORE_INLINE Floats subtract(Floats x, Floats y) {
  return {_mm256_sub_ps(x.a, y.a), _mm256_sub_ps(x.b, y.b)};
}
LORE_INLINE Floats multiply(Floats x, Floats y) {
  return {_mm256_mul_ps(x.a, y.a), _mm256_mul_ps(x.b, y.b)};
}
LORE_INLINE Floats divide(Floats x, Floats y) {
  return {_mm256_div_ps(x.a, y.a), _mm256_div_ps(x.b, y.b)};
}
LORE_INLINE Floats fused(Floats x, Floats y, Floats z) {
  return {_mm256_fmadd_ps(x.a, y.a, z.a), _mm256_fmadd_ps(x.b, y.b, z.b)};
}
LORE_INLINE Floats multiply_add(Floats x, Floats y, Floats z) { return fused(x, y, z); }
LORE_INLINE Floats maximum(Floats x, Floats y) {
  return {_mm256_max_ps(x.a, y.a), _mm256_max_ps(x.b, y.b)};
}
LORE_INLINE Floats minimum(Floats x, Floats y) {
  return {_mm256_min_ps(x.a, y.a), _mm256_min_ps(x.b, y.b)};
}
LORE_INLINE Floats square_root(Floats x) { return {_mm256_sqrt_ps(x.a), _mm256_sqrt_ps(x.b)}; }

LORE_INLINE Ints as_ints(Floats x) { return {_mm256_castps_si256(x.a), _mm256_castps_si256(x.b)}; }
LORE_INLINE Floats as_floats(Ints x) {
  return {_mm256_castsi256_ps(x.a), _mm256_castsi256_ps(x.b)};
}
LORE_INLINE Ints add(Ints x, Ints y) {
  return {_mm256_add_epi32(x.a, y.a), _mm256_add_epi32(x.b, y.b)};
}
LORE_INLINE Ints bit_and(Ints x, Ints y) {
  return {_mm256_and_si256(x.a, y.a), _mm256_and_si256(x.b, y.b)};
}
LORE_INLINE Ints maximum(Ints x, Ints y) {
  return {_mm256_max_epi32(x.a, y.a), _mm256_max_epi32(x.b, y.b)};
}
template <unsigned kShift>
LORE_INLINE Ints shift_left(Ints x) {
  return {_mm256_slli_epi32(x.a, kShift), _mm256_slli_epi32(x.b, kShift)};
}
template <unsigned kShift>
LORE_INLINE Ints shift_right(Ints x) {
  return {_mm256_srli_epi32(x.a, kShift), _mm256_srli_epi32(x.b, kShift)};
}
LORE_INLINE Floats to_floats(Ints x) { return {_mm256_cvtepi32_ps(x.a), _mm256_cvtepi32_ps(x.b)}; }
LORE_INLINE Ints to_ints(Floats x) { return {_mm256_cvtps_epi32(x.a), _mm256_cvtps_epi32(x.b)}; }
LORE_INLINE Floats select_less(Floats x, Floats y, Floats yes, Floats no) {
  return {_mm256_blendv_ps(no.a, yes.a, _mm256_cmp_ps(x.a, y.a, _CMP_LT_OQ)),
          _mm256_blendv_ps(no.b, yes.b, _mm256_cmp_ps(x.b, y.b, _CMP_LT_OQ))};
}
LORE_INLINE __m256 inside(std::int32_t first, std::int32_t begin, std::int32_t end) {
  const __m256i lane =
      _mm256_add_epi32(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), _mm256_set1_epi32(first));
  return _mm256_castsi256_ps(_mm256_andnot_si256(_mm256_cmpgt_epi32(_mm256_set1_epi32(begin), lane),
                                                 _mm256_cmpgt_epi32(_mm256_set1_epi32(end), lane)));
}
LORE_INLINE Floats select_range(std::int32_t first, std::int32_t begin, std::int32_t end, Floats x,
                                Floats y) {
  return {_mm256_blendv_ps(y.a, x.a, inside(first, begin, end)),
          _mm256_blendv_ps(y.b, x.b, inside(first + 8, begin, end))};
}

LORE_INLINE float sum_lanes(Floats x) {
  const __m256 eight = _mm256_add_ps(x.a, x.b);
  const __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
  const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
}
LORE_INLINE float max_lanes(Floats x) {
  const __m256 eight = _mm256_max_ps(x.a, x.b);
  const __m128 four = _mm_max_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
  const __m128 two = _mm_max_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_max_ss(two, _mm_movehdup_ps(two)));
}
LORE_INLINE std::int32_t sum_lanes(Ints x) {
  const __m256i eight = _mm256_add_epi32(x.a, x.b);
  __m128i four = _mm_add_epi32(_mm256_castsi256_si128(eight), _mm256_extracti128_si256(eight, 1));
  four = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0x4E));
  return _mm_cvtsi128_si32(_mm_add_epi32(four, _mm_shuffle_epi32(four, 0xB1)));
}
LORE_INLINE std::int32_t max_lanes(Ints x) {
  const __m256i eight = _mm256_max_epi32(x.a, x.b);
  __m128i four = _mm_max_epi32(_mm256_castsi256_si128(eight), _mm256_extracti128_si256(eight, 1));
  four = _mm_max_epi32(four, _mm_shuffle_epi32(four, 0x4E));
  return _mm_cvtsi128_si32(_mm_max_epi32(four, _mm_shuffle_epi32(four, 0xB1)));
}

LORE_INLINE Ints load_i8(const void* x) {
  const auto* bytes = static_cast<const std::uint8_t*>(x);
  return {_mm256_cvtepi8_epi32(load_64(bytes)), _mm256_cvtepi8_epi32(load_64(bytes + 8))};
}
LORE_INLINE Ints load_u8(const void* x) {
  const auto* bytes = static_cast<const std::uint8_t*>(x);
  return {_mm256_cvtepu8_epi32(load_64(bytes)), _mm256_cvtepu8_epi32(load_64(bytes + 8))};
}
/// The low halves of the lanes of a, then of b.
LORE_INLINE __m256i low_halves(Ints x) {
  const __m256i mask = _mm256_set1_epi32(0xFFFF);
  const __m256i packed =
      _mm256_packus_epi32(_mm256_and_si256(x.a, mask), _mm256_and_si256(x.b, mask));
  return _mm256_permute4x64_epi64(packed, 0xD8);
}
LORE_INLINE void store_i8(std::int8_t* x, Ints v) {
  const __m256i halves = low_halves(v);
  const __m256i bytes = _mm256_and_si256(halves, _mm256_set1_epi16(0xFF));
  _mm_storeu_si128(
      reinterpret_cast<__m128i*>(x),
      _mm_packus_epi16(_mm256_castsi256_si128(bytes), _mm256_extracti128_si256(bytes, 1)));
}
LORE_INLINE Floats from_halves(__m256i halves) {
  return {_mm256_cvtph_ps(_mm256_castsi256_si128(halves)),
          _mm256_cvtph_ps(_mm256_extracti128_si256(halves, 1))};
}
LORE_INLINE Floats load_f16(const void* x) { return from_halves(load_256(x)); }
LORE_INLINE void load_f16_pairs(const void* x, Floats& even, Floats& odd) {
  const auto* bytes = static_cast<const std::uint8_t*>(x);
  const Ints pairs = {load_256(bytes), load_256(bytes + 32)};
  even = from_halves(low_halves(pairs));
  odd = from_halves(low_halves(shift_right<16>(pairs)));
}
LORE_INLINE void load_bf16_pairs(const void* x, Floats& even, Floats& odd) {
  const auto* bytes = static_cast<const std::uint8_t*>(x);
  const Ints pairs = {load_256(bytes), load_256(bytes + 32)};
  even = as_floats(shift_left<16>(pairs));
  odd = as_floats(bit_and(pairs, broadcast(std::int32_t{-65536})));
}
LORE_INLINE void store_f16(void* x, Floats v) {
  auto* to = static_cast<__m128i*>(x);
  constexpr int kNearest = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
  _mm_storeu_si128(to, _mm256_cvtps_ph(v.a, kNearest));
  _mm_storeu_si128(to + 1, _mm256_cvtps_ph(v.b, kNearest));
}
LORE_INLINE __m256i round_to_bf16(__m256 v) {
  const __m256i bits = _mm256_castps_si256(v);
  const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
  const __m256i rounded = _mm256_add_epi32(bits, _mm256_add_epi32(odd, _mm256_set1_epi32(0x7FFF)));
  const __m256i quiet = _mm256_or_si256(bits, _mm256_set1_epi32(0x400000));
  const __m256i nan = _mm256_castps_si256(_mm256_cmp_ps(v, v, _CMP_UNORD_Q));
  return _mm256_srli_epi32(_mm256_blendv_epi8(rounded, quiet, nan), 16);
}
LORE_INLINE void store_bf16(void* x, Floats v) {
  _mm256_storeu_si256(static_cast<__m256i*>(x),
                      low_halves({round_to_bf16(v.a), round_to_bf16(v.b)}));
}

template <unsigned kShift>
LORE_INLINE Bytes shift_right(Bytes x) {
  // Bits that cross from one byte into the next are masked away by the caller.
  return {_mm256_srli_epi16(x.a, kShift), _mm256_srli_epi16(x.b, kShift)};
}
template <unsigned kShift>
LORE_INLINE Bytes shift_left(Bytes x) {
  return {_mm256_slli_epi16(x.a, kShift), _mm256_slli_epi16(x.b, kShift)};
}
LORE_INLINE Bytes bit_and(Bytes x, std::uint8_t mask) {
  const __m256i all = _mm256_set1_epi8(static_cast<char>(mask));
  return {_mm256_and_si256(x.a, all), _mm256_and_si256(x.b, all)};
}
LORE_INLINE Bytes bit_or(Bytes x, Bytes y) {
  return {_mm256_or_si256(x.a, y.a), _mm256_or_si256(x.b, y.b)};
}

LORE_INLINE void prefetch(const void* x) { _mm_prefetch(static_cast<const char*>(x), _MM_HINT_T0); }
/// Into the second-level cache.
LORE_INLINE void prefetch_far(const void* x) {
  _mm_prefetch(static_cast<const char*>(x), _MM_HINT_T1);
}

#ifdef __AVXVNNI__

template <std::size_t kRows, std::size_t kSteps, unsigned kMostCode, typename Codes>
LORE_INLINE void dot_steps(Codes codes, const std::int8_t* x, const std::size_t* eighths,
                           Ints* sums) {
  unroll<kSteps>([&](auto step) LORE_INLINE_LAMBDA {
    const Bytes code = codes(step);
    LORE_UNROLL
    for (std::size_t r = 0; r < kRows; ++r) {
      const __m256i activation = broadcast_int(x + 8 * eighths[r] + 4 * step.value).a;
      sums[r].a = _mm256_dpbusd_avx_epi32(sums[r].a, code.a, activation);
      sums[r].b = _mm256_dpbusd_avx_epi32(sums[r].b, code.b, activation);
    }
  });
}

#else

/// Products of 4 codes and 4 activations of each lane, summed in pairs of 16 bits.
template <bool kSigned>
LORE_INLINE __m256i pair_products(__m256i code, __m256i activation) {
  if constexpr (!kSigned) return _mm256_maddubs_epi16(code, activation);
  // The code's sign goes to the activation: magnitudes up to 128 do not overflow.
  return _mm256_maddubs_epi16(_mm256_abs_epi8(code), _mm256_sign_epi8(activation, code));
}

// Pairs are summed in 16 bits, which hold kFit steps.
template <std::size_t kRows, std::size_t kSteps, unsigned kMostCode, typename Codes>
LORE_INLINE void dot_steps(Codes codes, const std::int8_t* x, const std::size_t* eighths,
                           Ints* sums) {
  constexpr bool kSigned = kMostCode == 255;
  constexpr std::size_t kFit = 32767 / (2 * 127 * (kSigned ? 128 : kMostCode));
  const __m256i ones = _mm256_set1_epi16(1);
  Ints words[kRows];
  unroll<kSteps>([&](auto step) LORE_INLINE_LAMBDA {
    constexpr std::size_t kStep = step.value;
    Bytes code = codes(step);
    if constexpr (kSigned) {
      const __m256i flip = _mm256_set1_epi8(-128);
      code = {_mm256_xor_si256(code.a, flip), _mm256_xor_si256(code.b, flip)};
    }
    LORE_UNROLL
    for (std::size_t r = 0; r < kRows; ++r) {
      const __m256i activation = broadcast_int(x + 8 * eighths[r] + 4 * kStep).a;
      const __m256i a = pair_products<kSigned>(code.a, activation);
      const __m256i b = pair_products<kSigned>(code.b, activation);
      words[r].a = kStep % kFit == 0 ? a : _mm256_add_epi16(words[r].a, a);
      words[r].b = kStep % kFit == 0 ? b : _mm256_add_epi16(words[r].b, b);
      if constexpr (kStep % kFit == kFit - 1 || kStep == kSteps - 1) {
        sums[r].a = _mm256_add_epi32(sums[r].a, _mm256_madd_epi16(words[r].a, ones));
        sums[r].b = _mm256_add_epi32(sums[r].b, _mm256_madd_epi16(words[r].b, ones));
      }
    }
  });
}

#endif

LORE_INLINE void transpose_8(__m256* rows) {
  __m256 pairs[8];
  for (std::size_t i = 0; i < 8; i += 2) {
    pairs[i] = _mm256_unpacklo_ps(rows[i], rows[i + 1]);
    pairs[i + 1] = _mm256_unpackhi_ps(rows[i], rows[i + 1]);
  }
  __m256 fours[8];
  for (std::size_t i = 0; i < 8; i += 4) {
    fours[i] = _mm256_shuffle_ps(pairs[i], pairs[i + 2], 0x44);
    fours[i + 1] = _mm256_shuffle_ps(pairs[i], pairs[i + 2], 0xEE);
    fours[i + 2] = _mm256_shuffle_ps(pairs[i + 1], pairs[i + 3], 0x44);
    fours[i + 3] = _mm256_shuffle_ps(pairs[i + 1], pairs[i + 3], 0xEE);
  }
  for (std::size_t i = 0; i < 4; ++i) {
    rows[i] = _mm256_permute2f128_ps(fours[i], fours[i + 4], 0x20);
    rows[i + 4] = _mm256_permute2f128_ps(fours[i], fours[i + 4], 0x31);
  }
}

LORE_INLINE void transpose(Floats* rows) {
  __m256 block[4][8];
  for (std::size_t i = 0; i < 8; ++i) {
    block[0][i] = rows[i].a;
    block[1][i] = rows[i].b;
    block[2][i] = rows[i + 8].a;
    block[3][i] = rows[i + 8].b;
  }
  for (auto& quarter : block) transpose_8(quarter);
  for (std::size_t i = 0; i < 8; ++i) {
    rows[i] = {block[0][i], block[2][i]};
    rows[i + 8] = {block[1][i], block[3][i]};
  }
}

}  // namespace
}  // namespace lore::engine::cpu
