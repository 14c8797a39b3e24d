// The vectors of scalar/vec.hpp in ARMv8's NEON: four registers each. With dot products and matrix
// products of bytes where the unit is compiled for them.
#pragma once

#include <arm_neon.h>

#include <cstddef>
#include <cstdint>

#include "engine/backend/cpu/kernels/common/unroll.hpp"

namespace lore::engine::cpu {
namespace {

using FloatRegister = float32x4_t;
using IntRegister = int32x4_t;
using ByteRegister = uint8x16_t;

}  // namespace
}  // namespace lore::engine::cpu

#include "engine/backend/cpu/kernels/common/four_registers_inl.hpp"

namespace lore::engine::cpu {
namespace {

constexpr bool kFused = true;
// Matrix products take unsigned codes; the other products are of signed bytes.
#ifdef __ARM_FEATURE_MATMUL_INT8
constexpr bool kSignedBytes = false;
#else
constexpr bool kSignedBytes = true;
#endif
constexpr std::size_t kManyPanels = 1;
#ifdef __ARM_FEATURE_DOTPROD
constexpr std::size_t kManyRows = 4;
constexpr std::size_t kFewRows = 4;
#else
constexpr std::size_t kManyRows = 2;  // each has twice as many sums
constexpr std::size_t kFewRows = 2;
#endif
constexpr std::size_t kFloatRows = 6;
constexpr std::size_t kFloatPanels = 1;
constexpr std::size_t kAttentionRows = 6;
constexpr std::size_t kAttentionVectors = 1;

LORE_INLINE Floats broadcast(float x) {
  const float32x4_t all = vdupq_n_f32(x);
  return {{all, all, all, all}};
}
LORE_INLINE Ints broadcast(std::int32_t x) {
  const int32x4_t all = vdupq_n_s32(x);
  return {{all, all, all, all}};
}

LORE_INLINE Floats load(const float* x) {
  return floats([&](int i) LORE_INLINE_LAMBDA { return vld1q_f32(x + 4 * i); });
}
LORE_INLINE void store(float* x, Floats v) {
  unroll<4>([&](auto i) LORE_INLINE_LAMBDA { vst1q_f32(x + 4 * i.value, v.v[i.value]); });
}
LORE_INLINE Bytes load_bytes(const std::uint8_t* x) {
  return bytes([&](int i) LORE_INLINE_LAMBDA { return vld1q_u8(x + 16 * i); });
}
LORE_INLINE void store_bytes(std::uint8_t* x, Bytes v) {
  unroll<4>([&](auto i) LORE_INLINE_LAMBDA { vst1q_u8(x + 16 * i.value, v.v[i.value]); });
}

LORE_INLINE Floats add(Floats x, Floats y) {
  return floats([&](int i) LORE_INLINE_LAMBDA { return vaddq_f32(x.v[i], y.v[i]); });
}
LORE_INLINE Floats subtract(Floats x, Floats y) {
  return floats([&](int i) LORE_INLINE_LAMBDA { return vsubq_f32(x.v[i], y.v[i]); });
}
LORE_INLINE Floats multiply(Floats x, Floats y) {
  return floats([&](int i) LORE_INLINE_LAMBDA { return vmulq_f32(x.v[i], y.v[i]); });
}
LORE_INLINE Floats divide(Floats x, Floats y) {
  return floats([&](int i) LORE_INLINE_LAMBDA { return vdivq_f32(x.v[i], y.v[i]); });
}
LORE_INLINE Floats fused(Floats x, Floats y, Floats z) {
  return floats([&](int i) LORE_INLINE_LAMBDA { return vfmaq_f32(z.v[i], x.v[i], y.v[i]); });
}
LORE_INLINE Floats multiply_add(Floats x, Floats y, Floats z) { return fused(x, y, z); }
// Not vmaxq and vminq, which give NaN for a NaN on either side.
LORE_INLINE Floats maximum(Floats x, Floats y) {
  return floats([&](int i) LORE_INLINE_LAMBDA {
    return vbslq_f32(vcgtq_f32(x.v[i], y.v[i]), x.v[i], y.v[i]);
  });
}
LORE_INLINE Floats minimum(Floats x, Floats y) {
  return floats([&](int i) LORE_INLINE_LAMBDA {
    return vbslq_f32(vcltq_f32(x.v[i], y.v[i]), x.v[i], y.v[i]);
  });
}
LORE_INLINE Floats square_root(Floats x) {
  return floats([&](int i) LORE_INLINE_LAMBDA { return vsqrtq_f32(x.v[i]); });
}

LORE_INLINE Ints as_ints(Floats x) {
  return ints([&](int i) LORE_INLINE_LAMBDA { return vreinterpretq_s32_f32(x.v[i]); });
}
LORE_INLINE Floats as_floats(Ints x) {
  return floats([&](int i) LORE_INLINE_LAMBDA { return vreinterpretq_f32_s32(x.v[i]); });
}
LORE_INLINE Ints add(Ints x, Ints y) {
  return ints([&](int i) LORE_INLINE_LAMBDA { return vaddq_s32(x.v[i], y.v[i]); });
}
LORE_INLINE Ints bit_and(Ints x, Ints y) {
  return ints([&](int i) LORE_INLINE_LAMBDA { return vandq_s32(x.v[i], y.v[i]); });
}
LORE_INLINE Ints maximum(Ints x, Ints y) {
  return ints([&](int i) LORE_INLINE_LAMBDA { return vmaxq_s32(x.v[i], y.v[i]); });
}
template <unsigned kShift>
LORE_INLINE Ints shift_left(Ints x) {
  return ints([&](int i) LORE_INLINE_LAMBDA { return vshlq_n_s32(x.v[i], kShift); });
}
template <unsigned kShift>
LORE_INLINE Ints shift_right(Ints x) {
  return ints([&](int i) LORE_INLINE_LAMBDA {
    return vreinterpretq_s32_u32(vshrq_n_u32(vreinterpretq_u32_s32(x.v[i]), kShift));
  });
}
LORE_INLINE Floats to_floats(Ints x) {
  return floats([&](int i) LORE_INLINE_LAMBDA { return vcvtq_f32_s32(x.v[i]); });
}
LORE_INLINE Ints to_ints(Floats x) {
  return ints([&](int i) LORE_INLINE_LAMBDA { return vcvtnq_s32_f32(x.v[i]); });
}
LORE_INLINE Floats select_less(Floats x, Floats y, Floats yes, Floats no) {
  return floats([&](int i) LORE_INLINE_LAMBDA {
    return vbslq_f32(vcltq_f32(x.v[i], y.v[i]), yes.v[i], no.v[i]);
  });
}
LORE_INLINE Floats select_range(std::int32_t first, std::int32_t begin, std::int32_t end, Floats x,
                                Floats y) {
  const std::int32_t counted[4] = {0, 1, 2, 3};
  return floats([&](int i) LORE_INLINE_LAMBDA {
    const int32x4_t lane = vaddq_s32(vld1q_s32(counted), vdupq_n_s32(first + 4 * i));
    const uint32x4_t inside =
        vandq_u32(vcgeq_s32(lane, vdupq_n_s32(begin)), vcltq_s32(lane, vdupq_n_s32(end)));
    return vbslq_f32(inside, x.v[i], y.v[i]);
  });
}

LORE_INLINE float sum_lanes(Floats x) {
  const float32x4_t four = vaddq_f32(vaddq_f32(x.v[0], x.v[2]), vaddq_f32(x.v[1], x.v[3]));
  return vpadds_f32(vadd_f32(vget_low_f32(four), vget_high_f32(four)));
}
LORE_INLINE float max_lanes(Floats x) {
  return vmaxvq_f32(vmaxq_f32(vmaxq_f32(x.v[0], x.v[1]), vmaxq_f32(x.v[2], x.v[3])));
}
LORE_INLINE std::int32_t sum_lanes(Ints x) {
  return vaddvq_s32(vaddq_s32(vaddq_s32(x.v[0], x.v[1]), vaddq_s32(x.v[2], x.v[3])));
}
LORE_INLINE std::int32_t max_lanes(Ints x) {
  return vmaxvq_s32(vmaxq_s32(vmaxq_s32(x.v[0], x.v[1]), vmaxq_s32(x.v[2], x.v[3])));
}

LORE_INLINE Ints load_i8(const void* x) {
  const int8x16_t all = vld1q_s8(static_cast<const std::int8_t*>(x));
  const int16x8_t first = vmovl_s8(vget_low_s8(all));
  const int16x8_t second = vmovl_high_s8(all);
  return {{vmovl_s16(vget_low_s16(first)), vmovl_high_s16(first), vmovl_s16(vget_low_s16(second)),
           vmovl_high_s16(second)}};
}
LORE_INLINE Ints load_u8(const void* x) {
  const uint8x16_t all = vld1q_u8(static_cast<const std::uint8_t*>(x));
  const uint16x8_t first = vmovl_u8(vget_low_u8(all));
  const uint16x8_t second = vmovl_high_u8(all);
  const uint32x4_t wide[4] = {vmovl_u16(vget_low_u16(first)), vmovl_high_u16(first),
                              vmovl_u16(vget_low_u16(second)), vmovl_high_u16(second)};
  return ints([&](int i) LORE_INLINE_LAMBDA { return vreinterpretq_s32_u32(wide[i]); });
}
/// The low bytes of the lanes.
LORE_INLINE void store_i8(std::int8_t* x, Ints v) {
  const int16x8_t first = vcombine_s16(vmovn_s32(v.v[0]), vmovn_s32(v.v[1]));
  const int16x8_t second = vcombine_s16(vmovn_s32(v.v[2]), vmovn_s32(v.v[3]));
  vst1q_s8(x, vcombine_s8(vmovn_s16(first), vmovn_s16(second)));
}

LORE_INLINE Floats from_halves(uint16x8_t first, uint16x8_t second) {
  const float16x8_t a = vreinterpretq_f16_u16(first);
  const float16x8_t b = vreinterpretq_f16_u16(second);
  return {{vcvt_f32_f16(vget_low_f16(a)), vcvt_high_f32_f16(a), vcvt_f32_f16(vget_low_f16(b)),
           vcvt_high_f32_f16(b)}};
}
LORE_INLINE Floats load_f16(const void* x) {
  const auto* from = static_cast<const std::uint8_t*>(x);
  return from_halves(vreinterpretq_u16_u8(vld1q_u8(from)),
                     vreinterpretq_u16_u8(vld1q_u8(from + 16)));
}
LORE_INLINE void load_f16_pairs(const void* x, Floats& even, Floats& odd) {
  const Bytes pairs = load_bytes(static_cast<const std::uint8_t*>(x));
  uint16x8_t v[4];
  unroll<4>([&](auto i)
                LORE_INLINE_LAMBDA { v[i.value] = vreinterpretq_u16_u8(pairs.v[i.value]); });
  even = from_halves(vuzp1q_u16(v[0], v[1]), vuzp1q_u16(v[2], v[3]));
  odd = from_halves(vuzp2q_u16(v[0], v[1]), vuzp2q_u16(v[2], v[3]));
}
LORE_INLINE void load_bf16_pairs(const void* x, Floats& even, Floats& odd) {
  const Bytes pairs = load_bytes(static_cast<const std::uint8_t*>(x));
  const Ints both =
      ints([&](int i) LORE_INLINE_LAMBDA { return vreinterpretq_s32_u8(pairs.v[i]); });
  even = as_floats(shift_left<16>(both));
  odd = as_floats(bit_and(both, broadcast(std::int32_t{-65536})));
}
LORE_INLINE void store_u16(void* x, uint16x4_t a, uint16x4_t b, uint16x4_t c, uint16x4_t d) {
  auto* to = static_cast<std::uint8_t*>(x);
  vst1q_u8(to, vreinterpretq_u8_u16(vcombine_u16(a, b)));
  vst1q_u8(to + 16, vreinterpretq_u8_u16(vcombine_u16(c, d)));
}
LORE_INLINE void store_f16(void* x, Floats v) {
  const auto half = [&](int i)
                        LORE_INLINE_LAMBDA { return vreinterpret_u16_f16(vcvt_f16_f32(v.v[i])); };
  store_u16(x, half(0), half(1), half(2), half(3));
}
LORE_INLINE uint16x4_t round_to_bf16(float32x4_t v) {
  const uint32x4_t bits = vreinterpretq_u32_f32(v);
  const uint32x4_t odd = vandq_u32(vshrq_n_u32(bits, 16), vdupq_n_u32(1));
  const uint32x4_t rounded = vaddq_u32(bits, vaddq_u32(odd, vdupq_n_u32(0x7FFF)));
  const uint32x4_t quiet = vorrq_u32(bits, vdupq_n_u32(0x400000));
  return vshrn_n_u32(vbslq_u32(vceqq_f32(v, v), rounded, quiet), 16);
}
LORE_INLINE void store_bf16(void* x, Floats v) {
  store_u16(x, round_to_bf16(v.v[0]), round_to_bf16(v.v[1]), round_to_bf16(v.v[2]),
            round_to_bf16(v.v[3]));
}

template <unsigned kShift>
LORE_INLINE Bytes shift_right(Bytes x) {
  if constexpr (kShift == 0) {
    return x;
  } else {
    return bytes([&](int i) LORE_INLINE_LAMBDA { return vshrq_n_u8(x.v[i], kShift); });
  }
}
template <unsigned kShift>
LORE_INLINE Bytes shift_left(Bytes x) {
  return bytes([&](int i) LORE_INLINE_LAMBDA { return vshlq_n_u8(x.v[i], kShift); });
}
LORE_INLINE Bytes bit_and(Bytes x, std::uint8_t mask) {
  return bytes([&](int i) LORE_INLINE_LAMBDA { return vandq_u8(x.v[i], vdupq_n_u8(mask)); });
}
LORE_INLINE Bytes bit_or(Bytes x, Bytes y) {
  return bytes([&](int i) LORE_INLINE_LAMBDA { return vorrq_u8(x.v[i], y.v[i]); });
}

LORE_INLINE void prefetch(const void* x) { __builtin_prefetch(x); }
/// Into the second-level cache.
LORE_INLINE void prefetch_far(const void* x) { __builtin_prefetch(x, 0, 2); }

/// Codes as signed bytes, those of 8 bits without their offset (kSignedBytes).
template <unsigned kMostCode>
LORE_INLINE int8x16_t signed_codes(uint8x16_t codes) {
  if constexpr (kMostCode == 255) codes = veorq_u8(codes, vdupq_n_u8(0x80));
  return vreinterpretq_s8_u8(codes);
}

#if defined(__ARM_FEATURE_MATMUL_INT8)

/// One row: a dot product of 4 bytes in each lane.
template <std::size_t kSteps, typename Codes>
LORE_INLINE void dot_row(Codes codes, const std::int8_t* x, Ints& sums) {
  int8x16_t activations = vdupq_n_s8(0);
  unroll<kSteps>([&](auto step) LORE_INLINE_LAMBDA {
    constexpr std::size_t kStep = step.value;
    if constexpr (kStep % 4 == 0) activations = vld1q_s8(x + 4 * kStep);
    const Bytes code = codes(step);
    sums = ints([&](int i) LORE_INLINE_LAMBDA {
      return vusdotq_laneq_s32(sums.v[i], code.v[i], activations, kStep % 4);
    });
  });
}

/// Two rows and two steps at a time: products of a 2 x 8 matrix of codes (two panel rows) and an
/// 8 x 2 matrix of activations (two rows).
template <std::size_t kSteps, typename Codes>
LORE_INLINE void dot_pair(Codes codes, const std::int8_t* first, const std::int8_t* second,
                          Ints* sums) {
  Ints low;   // panel rows 4i and 4i + 1, each with both activation rows
  Ints high;  // panel rows 4i + 2 and 4i + 3
  low = ints([&](int i) LORE_INLINE_LAMBDA { return vzip1q_s32(sums[0].v[i], sums[1].v[i]); });
  high = ints([&](int i) LORE_INLINE_LAMBDA { return vzip2q_s32(sums[0].v[i], sums[1].v[i]); });
  unroll<kSteps / 2>([&](auto pair) LORE_INLINE_LAMBDA {
    constexpr std::size_t kStep = 2 * pair.value;
    const Bytes a = codes(Index<kStep>{});
    const Bytes b = codes(Index<kStep + 1>{});
    const int8x16_t activations =
        vcombine_s8(vld1_s8(first + 4 * kStep), vld1_s8(second + 4 * kStep));
    unroll<4>([&](auto quarter) LORE_INLINE_LAMBDA {
      constexpr std::size_t kQuarter = quarter.value;
      const uint32x4_t even = vreinterpretq_u32_u8(a.v[kQuarter]);
      const uint32x4_t odd = vreinterpretq_u32_u8(b.v[kQuarter]);
      const uint8x16_t low_codes = vreinterpretq_u8_u32(vzip1q_u32(even, odd));
      const uint8x16_t high_codes = vreinterpretq_u8_u32(vzip2q_u32(even, odd));
      low.v[kQuarter] = vusmmlaq_s32(low.v[kQuarter], low_codes, activations);
      high.v[kQuarter] = vusmmlaq_s32(high.v[kQuarter], high_codes, activations);
    });
  });
  sums[0] = ints([&](int i) LORE_INLINE_LAMBDA { return vuzp1q_s32(low.v[i], high.v[i]); });
  sums[1] = ints([&](int i) LORE_INLINE_LAMBDA { return vuzp2q_s32(low.v[i], high.v[i]); });
}

template <std::size_t kRows, std::size_t kSteps, unsigned kMostCode, typename Codes>
LORE_INLINE void dot_steps(Codes codes, const std::int8_t* x, const std::size_t* eighths,
                           Ints* sums) {
  if constexpr (kRows == 1) {
    dot_row<kSteps>(codes, x + 8 * eighths[0], sums[0]);
  } else {
    static_assert(kRows % 2 == 0);
    unroll<kRows / 2>([&](auto pair) LORE_INLINE_LAMBDA {
      constexpr std::size_t kRow = 2 * pair.value;
      dot_pair<kSteps>(codes, x + 8 * eighths[kRow], x + 8 * eighths[kRow + 1], sums + kRow);
    });
  }
}

#elif defined(__ARM_FEATURE_DOTPROD)

template <std::size_t kRows, std::size_t kSteps, unsigned kMostCode, typename Codes>
LORE_INLINE void dot_steps(Codes codes, const std::int8_t* x, const std::size_t* eighths,
                           Ints* sums) {
  int8x16_t activations[kRows];  // of four steps
  unroll<kSteps>([&](auto step) LORE_INLINE_LAMBDA {
    constexpr std::size_t kStep = step.value;
    const Bytes code = codes(step);
    unroll<kRows>([&](auto row) LORE_INLINE_LAMBDA {
      constexpr std::size_t kRow = row.value;
      if constexpr (kStep % 4 == 0) {
        activations[kRow] = vld1q_s8(x + 8 * eighths[kRow] + 4 * kStep);
      }
      sums[kRow] = ints([&](int i) LORE_INLINE_LAMBDA {
        return vdotq_laneq_s32(sums[kRow].v[i], signed_codes<kMostCode>(code.v[i]),
                               activations[kRow], kStep % 4);
      });
    });
  });
}

#else

// Two steps at a time: two products of bytes fit 16 bits, magnitudes of 128 and 127 too. Their sums
// go in pairs to 32 bits, two for each panel row, which are added at the end.
template <std::size_t kRows, std::size_t kSteps, unsigned kMostCode, typename Codes>
LORE_INLINE void dot_steps(Codes codes, const std::int8_t* x, const std::size_t* eighths,
                           Ints* sums) {
  Ints low[kRows];   // panel rows 4i and 4i + 1
  Ints high[kRows];  // panel rows 4i + 2 and 4i + 3
  unroll<kRows>([&](auto row) LORE_INLINE_LAMBDA {
    low[row.value] = high[row.value] = broadcast(std::int32_t{0});
  });
  unroll<kSteps / 2>([&](auto pair) LORE_INLINE_LAMBDA {
    constexpr std::size_t kStep = 2 * pair.value;
    const Bytes a = codes(Index<kStep>{});
    const Bytes b = codes(Index<kStep + 1>{});
    unroll<kRows>([&](auto row) LORE_INLINE_LAMBDA {
      constexpr std::size_t kRow = row.value;
      const std::int8_t* from = x + 8 * eighths[kRow] + 4 * kStep;
      const int8x16_t first = vreinterpretq_s8_s32(broadcast_int(from).v[0]);
      const int8x16_t second = vreinterpretq_s8_s32(broadcast_int(from + 4).v[0]);
      unroll<4>([&](auto quarter) LORE_INLINE_LAMBDA {
        constexpr std::size_t kQuarter = quarter.value;
        const int8x16_t even = signed_codes<kMostCode>(a.v[kQuarter]);
        const int8x16_t odd = signed_codes<kMostCode>(b.v[kQuarter]);
        const int16x8_t low_words = vmlal_s8(vmull_s8(vget_low_s8(even), vget_low_s8(first)),
                                             vget_low_s8(odd), vget_low_s8(second));
        const int16x8_t high_words = vmlal_high_s8(vmull_high_s8(even, first), odd, second);
        low[kRow].v[kQuarter] = vpadalq_s16(low[kRow].v[kQuarter], low_words);
        high[kRow].v[kQuarter] = vpadalq_s16(high[kRow].v[kQuarter], high_words);
      });
    });
  });
  unroll<kRows>([&](auto row) LORE_INLINE_LAMBDA {
    constexpr std::size_t kRow = row.value;
    sums[kRow] = ints([&](int i) LORE_INLINE_LAMBDA {
      return vaddq_s32(sums[kRow].v[i], vpaddq_s32(low[kRow].v[i], high[kRow].v[i]));
    });
  });
}

#endif

LORE_INLINE void transpose_4(float32x4_t* rows) {
  const float64x2_t a = vreinterpretq_f64_f32(vtrn1q_f32(rows[0], rows[1]));
  const float64x2_t b = vreinterpretq_f64_f32(vtrn2q_f32(rows[0], rows[1]));
  const float64x2_t c = vreinterpretq_f64_f32(vtrn1q_f32(rows[2], rows[3]));
  const float64x2_t d = vreinterpretq_f64_f32(vtrn2q_f32(rows[2], rows[3]));
  rows[0] = vreinterpretq_f32_f64(vtrn1q_f64(a, c));
  rows[1] = vreinterpretq_f32_f64(vtrn1q_f64(b, d));
  rows[2] = vreinterpretq_f32_f64(vtrn2q_f64(a, c));
  rows[3] = vreinterpretq_f32_f64(vtrn2q_f64(b, d));
}

LORE_INLINE void transpose(Floats* rows) {
  unroll<4>([&](auto i) LORE_INLINE_LAMBDA {
    unroll<i.value + 1>([&](auto j) LORE_INLINE_LAMBDA {
      constexpr std::size_t kI = i.value;
      constexpr std::size_t kJ = j.value;
      float32x4_t a[4];
      float32x4_t b[4];
      for (std::size_t k = 0; k < 4; ++k) {
        a[k] = rows[4 * kI + k].v[kJ];
        b[k] = rows[4 * kJ + k].v[kI];
      }
      transpose_4(a);
      transpose_4(b);
      for (std::size_t k = 0; k < 4; ++k) {
        rows[4 * kJ + k].v[kI] = a[k];
        rows[4 * kI + k].v[kJ] = b[k];
      }
    });
  });
}

}  // namespace
}  // namespace lore::engine::cpu
