// Products of F32, F16 and BF16 weights with float32 activations. One chain of multiply-adds over
// k for each output element. Included after the vec.hpp of an instruction set.
#pragma once

#include "engine/backend/cpu/kernels/common/results_inl.hpp"

namespace lore::engine::cpu {
namespace {

/// Values of k that `many` converts at a time.
constexpr std::size_t kFloatChunk = 512;
constexpr std::size_t kFloatFewRows = 8;

enum class FloatKind { f32, f16, bf16 };

/// Line `i` of a panel of pairs, as the values 2i and 2i + 1 of 16 rows.
template <FloatKind kKind>
LORE_INLINE void load_pair(const std::uint8_t* panel, std::size_t i, Floats& even, Floats& odd) {
  if constexpr (kKind == FloatKind::f16) {
    load_f16_pairs(panel + i * kLine, even, odd);
  } else {
    load_bf16_pairs(panel + i * kLine, even, odd);
  }
}

/// Adds values [begin, end) of k: lines of float32 weights, kPanels panels `panel_stride` bytes
/// apart, times the rows at x.
template <std::size_t kRows, std::size_t kPanels>
LORE_INLINE void add_lines(const std::uint8_t* lines, std::size_t panel_stride, const float* x,
                           std::size_t stride, std::size_t count, Floats* acc) {
  for (std::size_t i = 0; i < count; ++i) {
    Floats weights[kPanels];
    LORE_UNROLL
    for (std::size_t p = 0; p < kPanels; ++p) {
      weights[p] = load_floats(lines + p * panel_stride + i * kLine);
    }
    LORE_UNROLL
    for (std::size_t r = 0; r < kRows; ++r) {
      const Floats value = broadcast_float(x + r * stride + i);
      LORE_UNROLL
      for (std::size_t p = 0; p < kPanels; ++p) {
        Floats& sum = acc[p * kRows + r];
        sum = multiply_add(value, weights[p], sum);
      }
    }
  }
}

/// `many` over kPanels panels from `panel`, values [begin, end) of k, at `lines` as float32.
template <std::size_t kPanels>
void multiply_float_chunk(const MatmulTask& task, std::size_t panel, const std::uint8_t* lines,
                          std::size_t panel_stride, std::size_t begin, std::size_t end) {
  const Activations& a = *task.activations;
  for_row_tiles<kFloatRows>(task.row_begin, task.row_end, [&](auto rows, std::size_t row) {
    constexpr std::size_t kRows = rows.value;
    Floats acc[kRows * kPanels];
    LORE_UNROLL
    for (std::size_t p = 0; p < kPanels; ++p) {
      LORE_UNROLL
      for (std::size_t r = 0; r < kRows; ++r) acc[p * kRows + r] = zero_floats();
      if (begin > 0) load_results<kRows>(task, row, (panel + p) * kPanelRows, acc + p * kRows);
    }
    const float* x = a.f32 + row * a.f32_stride + begin;
    add_lines<kRows, kPanels>(lines, panel_stride, x, a.f32_stride, end - begin, acc);
    LORE_UNROLL
    for (std::size_t p = 0; p < kPanels; ++p) {
      store_results<kRows>(task, row, (panel + p) * kPanelRows, acc + p * kRows, end == a.k);
    }
  });
}

/// Converts values [begin, end) of a panel of pairs to lines of float32; `begin` is even.
template <FloatKind kKind>
LORE_INLINE void unpack_float_chunk(const std::uint8_t* panel, std::size_t begin, std::size_t end,
                                    std::uint8_t* out) {
  for (std::size_t i = begin / 2; i < (end + 1) / 2; ++i) {
    Floats even;
    Floats odd;
    load_pair<kKind>(panel, i, even, odd);
    store_floats(out, even);
    store_floats(out + kLine, odd);
    out += 2 * kLine;
  }
}

template <FloatKind kKind, std::size_t kPanels>
LORE_INLINE void float_panels(const MatmulTask& task, std::size_t panel) {
  const PackedMatrix& weights = *task.weights;
  const std::uint8_t* data = weights.data + panel * weights.panel_bytes;
  for (std::size_t begin = 0; begin < weights.k; begin += kFloatChunk) {
    const std::size_t end = begin + kFloatChunk < weights.k ? begin + kFloatChunk : weights.k;
    if constexpr (kKind == FloatKind::f32) {
      multiply_float_chunk<kPanels>(task, panel, data + begin * kLine, weights.panel_bytes, begin,
                                    end);
    } else {
      constexpr std::size_t kPanelScratch = kFloatChunk * kLine;
      LORE_UNROLL
      for (std::size_t p = 0; p < kPanels; ++p) {
        unpack_float_chunk<kKind>(data + p * weights.panel_bytes, begin, end,
                                  task.scratch + p * kPanelScratch);
      }
      multiply_float_chunk<kPanels>(task, panel, task.scratch, kPanelScratch, begin, end);
    }
  }
}

template <FloatKind kKind>
void float_many(const MatmulTask& task) {
  std::size_t panel = task.panel_begin;
  for (; panel + kFloatPanels <= task.panel_end; panel += kFloatPanels) {
    float_panels<kKind, kFloatPanels>(task, panel);
  }
  if constexpr (kFloatPanels > 1) {
    for (; panel < task.panel_end; ++panel) float_panels<kKind, 1>(task, panel);
  }
}

/// A whole panel times a tile of rows, converting as it streams.
template <FloatKind kKind, std::size_t kRows>
LORE_INLINE void multiply_float_panel(const MatmulTask& task, std::size_t panel, std::size_t row) {
  const PackedMatrix& weights = *task.weights;
  const Activations& a = *task.activations;
  const std::uint8_t* data = weights.data + panel * weights.panel_bytes;
  const float* x = a.f32 + row * a.f32_stride;
  Floats acc[kRows];
  LORE_UNROLL
  for (std::size_t r = 0; r < kRows; ++r) acc[r] = zero_floats();
  const auto add_value = [&](Floats w, std::size_t i) LORE_INLINE_LAMBDA {
    LORE_UNROLL
    for (std::size_t r = 0; r < kRows; ++r) {
      const Floats value = broadcast_float(x + r * a.f32_stride + i);
      acc[r] = multiply_add(value, w, acc[r]);
    }
  };
  if constexpr (kKind == FloatKind::f32) {
    for (std::size_t i = 0; i < weights.k; ++i) {
      ask_ahead(data + i * kLine);
      add_value(load_floats(data + i * kLine), i);
    }
  } else {
    for (std::size_t i = 0; i < (weights.k + 1) / 2; ++i) {
      Floats even;
      Floats odd;
      ask_ahead(data + i * kLine);
      load_pair<kKind>(data, i, even, odd);
      add_value(even, 2 * i);
      if (2 * i + 1 < weights.k) add_value(odd, 2 * i + 1);
    }
  }
  store_results<kRows>(task, row, panel * kPanelRows, acc, true);
}

template <FloatKind kKind>
void float_few(const MatmulTask& task) {
  for (std::size_t p = task.panel_begin; p < task.panel_end; ++p) {
    for_row_tiles<kFloatFewRows>(task.row_begin, task.row_end, [&](auto rows, std::size_t row) {
      multiply_float_panel<kKind, rows.value>(task, p, row);
    });
  }
}

}  // namespace
}  // namespace lore::engine::cpu
