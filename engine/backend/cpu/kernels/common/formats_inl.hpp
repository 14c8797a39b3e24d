// How each quantized format turns the bytes of a panel into steps of unsigned codes and float
// scales. Included after the vec.hpp of an instruction set.
#pragma once

#include "engine/backend/cpu/kernels/common/results_inl.hpp"
#include "engine/backend/cpu/kernels/common/unroll.hpp"
#include "engine/backend/cpu/kernels/panel_layout.hpp"

namespace lore::engine::cpu {
namespace {

constexpr std::size_t kGroupSteps = 8;

/// How the scales of a block are stored (panel_layout.hpp).
enum class ScaleKind { half, half_with_minimum, nibbles16, bytes32, signed16 };

/// `offset` is what the codes of a symmetric type carry.
template <const PanelBlock& kPanelBlock, ScaleKind kScaleKind, int kCodeOffset>
struct Format {
  static constexpr const PanelBlock& kLayout = kPanelBlock;
  static constexpr ScaleKind kScales = kScaleKind;
  static constexpr int kOffset = kCodeOffset;
  static constexpr bool kMinimum = kScaleKind == ScaleKind::half_with_minimum ||
                                   kScaleKind == ScaleKind::nibbles16 ||
                                   kScaleKind == ScaleKind::bytes32;
  /// Scales in a group of 32 values: one, or two of 16 values each.
  static constexpr std::size_t kHalves =
      kScaleKind == ScaleKind::nibbles16 || kScaleKind == ScaleKind::signed16 ? 2 : 1;
  static constexpr unsigned kMostCode = (1U << (kPanelBlock.low_bits + kPanelBlock.high_bits)) - 1U;
};

using FormatQ4_0 = Format<kPanelQ4_0, ScaleKind::half, 8>;
using FormatQ4_1 = Format<kPanelQ4_1, ScaleKind::half_with_minimum, 0>;
using FormatQ5_0 = Format<kPanelQ5_0, ScaleKind::half, 16>;
using FormatQ5_1 = Format<kPanelQ5_1, ScaleKind::half_with_minimum, 0>;
using FormatQ8_0 = Format<kPanelQ8_0, ScaleKind::half, 128>;
using FormatQ2_K = Format<kPanelQ2_K, ScaleKind::nibbles16, 0>;
using FormatQ3_K = Format<kPanelQ3_K, ScaleKind::signed16, 4>;
using FormatQ4_K = Format<kPanelQ4_K, ScaleKind::bytes32, 0>;
using FormatQ5_K = Format<kPanelQ5_K, ScaleKind::bytes32, 0>;
using FormatQ6_K = Format<kPanelQ6_K, ScaleKind::signed16, 32>;

/// What a group's integer dot products are multiplied by, for the 16 rows of the panel.
template <typename F>
struct GroupScales {
  Floats scale[F::kHalves];
  Floats minimum[F::kMinimum ? F::kHalves : 1];  // added once per unit of activation
};

/// One group of 32 values in a panel.
struct GroupPlace {
  const std::uint8_t* block;
  const std::uint8_t* codes;
  std::size_t index;  // of the group in its block
};

template <typename F>
LORE_INLINE GroupPlace find_group(const std::uint8_t* panel, std::size_t group) {
  constexpr std::size_t kGroups = F::kLayout.groups;
  const std::uint8_t* block = panel + group / kGroups * F::kLayout.bytes;
  const std::size_t index = group % kGroups;
  return {block, block + F::kLayout.codes + index * F::kLayout.group_bytes, index};
}

template <typename F>
LORE_INLINE GroupScales<F> load_scales(const GroupPlace& place) {
  GroupScales<F> out;
  const std::uint8_t* block = place.block;
  if constexpr (F::kScales == ScaleKind::half) {
    out.scale[0] = load_f16(block + place.index * 32);
  } else if constexpr (F::kScales == ScaleKind::half_with_minimum) {
    out.scale[0] = load_f16(block);
    out.minimum[0] = load_f16(block + 32);
  } else if constexpr (F::kScales == ScaleKind::bytes32) {
    const std::uint8_t* bytes = block + kLine + place.index * 32;
    out.scale[0] = multiply(load_f16(block), to_floats(load_u8(bytes)));
    const Floats dmin = subtract(zero_floats(), load_f16(block + 32));
    out.minimum[0] = multiply(dmin, to_floats(load_u8(bytes + 16)));
  } else if constexpr (F::kScales == ScaleKind::nibbles16) {
    const std::uint8_t* bytes = block + kLine + place.index * 32;
    const Floats d = load_f16(block);
    const Floats dmin = subtract(zero_floats(), load_f16(block + 32));
    for (std::size_t h = 0; h < 2; ++h) {
      const Ints both = load_u8(bytes + 16 * h);
      out.scale[h] = multiply(d, to_floats(bit_and(both, broadcast(15))));
      out.minimum[h] = multiply(dmin, to_floats(shift_right<4>(both)));
    }
  } else {
    const std::uint8_t* bytes = block + kLine + place.index * 32;
    const Floats d = load_floats(block);
    out.scale[0] = multiply(d, to_floats(load_i8(bytes)));
    out.scale[1] = multiply(d, to_floats(load_i8(bytes + 16)));
  }
  return out;
}

/// The low bits of step kStep from the lines of a group.
template <std::size_t kBits, std::size_t kStep>
LORE_INLINE Bytes low_bits(const std::uint8_t* lines) {
  if constexpr (kBits == 8) {
    return load_bytes(lines + kStep * kLine);
  } else if constexpr (kBits == 4) {
    const Bytes line = load_bytes(lines + kStep % 4 * kLine);
    return bit_and(shift_right<kStep / 4 * 4>(line), std::uint8_t{15});
  } else {
    const Bytes line = load_bytes(lines + kStep / 4 * kLine);
    return bit_and(shift_right<kStep % 4 * 2>(line), std::uint8_t{3});
  }
}

/// The bits of step kStep above the low ones, in their place.
template <std::size_t kLowBits, std::size_t kHighBits, std::size_t kStep>
LORE_INLINE Bytes high_bits(const std::uint8_t* lines) {
  constexpr std::size_t kPerLine = 8 / kHighBits;
  constexpr std::size_t kFrom = kStep % kPerLine * kHighBits;
  constexpr auto kMask = static_cast<std::uint8_t>(((1U << kHighBits) - 1U) << kLowBits);
  const Bytes line = load_bytes(lines + (kStep / kPerLine) * kLine);
  if constexpr (kFrom >= kLowBits) {
    return bit_and(shift_right<kFrom - kLowBits>(line), kMask);
  } else {
    return bit_and(shift_left<kLowBits - kFrom>(line), kMask);
  }
}

/// The codes of step kStep of a group.
template <typename F, std::size_t kStep>
LORE_INLINE Bytes load_step(const std::uint8_t* codes) {
  const Bytes low = low_bits<F::kLayout.low_bits, kStep>(codes);
  if constexpr (F::kLayout.high_bits == 0) {
    return low;
  } else {
    const std::uint8_t* lines = codes + F::kLayout.low_bits * kLine;
    return bit_or(low, high_bits<F::kLayout.low_bits, F::kLayout.high_bits, kStep>(lines));
  }
}

}  // namespace
}  // namespace lore::engine::cpu
