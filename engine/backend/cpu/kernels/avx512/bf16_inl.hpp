// Products of F16 and BF16 weights, both sides rounded to bfloat16, two values of k an instruction
// (AVX512_BF16). Included after vec.hpp.
#pragma once

#include "engine/backend/cpu/kernels/common/floats_inl.hpp"

namespace lore::engine::cpu {
namespace {

/// Pairs of k that `many` converts at a time.
constexpr std::size_t kPairChunk = 256;

constexpr std::size_t kBf16Rows = 12;
constexpr std::size_t kBf16FewRows = 8;
constexpr std::size_t kBf16Panels = 2;

LORE_INLINE __m512bh as_bf16(Ints x) { return (__m512bh)x; }

/// Line `i` of a panel of pairs as bfloat16.
template <FloatKind kKind>
LORE_INLINE Ints load_bf16_line(const std::uint8_t* panel, std::size_t i) {
  if constexpr (kKind == FloatKind::bf16) {
    return _mm512_loadu_si512(panel + i * kLine);
  } else {
    Floats even;
    Floats odd;
    load_f16_pairs(panel + i * kLine, even, odd);
    const auto low = _mm512_cvtepu16_epi32((__m256i)_mm512_cvtneps_pbh(even));
    const auto high = _mm512_cvtepu16_epi32((__m256i)_mm512_cvtneps_pbh(odd));
    return _mm512_or_si512(low, _mm512_slli_epi32(high, 16));
  }
}

/// Stride of the prepared activations, in bfloat16 values.
LORE_INLINE std::size_t bf16_stride(const Activations& a) { return (a.k + 31) / 32 * 32; }

template <std::size_t kRows, std::size_t kPanels>
LORE_INLINE void add_pairs(const std::uint8_t* lines, std::size_t panel_stride,
                           const std::uint16_t* x, std::size_t stride, std::size_t pairs,
                           Floats* acc) {
  for (std::size_t i = 0; i < pairs; ++i) {
    __m512bh weights[kPanels];
    LORE_UNROLL
    for (std::size_t p = 0; p < kPanels; ++p) {
      weights[p] = as_bf16(_mm512_loadu_si512(lines + p * panel_stride + i * kLine));
    }
    LORE_UNROLL
    for (std::size_t r = 0; r < kRows; ++r) {
      const auto pair = as_bf16(broadcast_int(x + r * stride + 2 * i));
      LORE_UNROLL
      for (std::size_t p = 0; p < kPanels; ++p) {
        Floats& sum = acc[p * kRows + r];
        sum = _mm512_dpbf16_ps(sum, weights[p], pair);
      }
    }
  }
}

template <FloatKind kKind, std::size_t kPanels>
LORE_INLINE void bf16_panels(const MatmulTask& task, std::size_t panel) {
  const PackedMatrix& weights = *task.weights;
  const Activations& a = *task.activations;
  const std::uint8_t* data = weights.data + panel * weights.panel_bytes;
  const std::size_t pairs = (weights.k + 1) / 2;
  const std::size_t stride = bf16_stride(a);
  constexpr std::size_t kPanelScratch = kPairChunk * kLine;
  for (std::size_t begin = 0; begin < pairs; begin += kPairChunk) {
    const std::size_t count = pairs - begin < kPairChunk ? pairs - begin : kPairChunk;
    const std::uint8_t* lines = data + begin * kLine;
    std::size_t panel_stride = weights.panel_bytes;
    if constexpr (kKind == FloatKind::f16) {
      LORE_UNROLL
      for (std::size_t p = 0; p < kPanels; ++p) {
        std::uint8_t* to = task.scratch + p * kPanelScratch;
        for (std::size_t i = 0; i < count; ++i) {
          _mm512_storeu_si512(to + i * kLine, load_bf16_line<kKind>(lines + p * panel_stride, i));
        }
      }
      lines = task.scratch;
      panel_stride = kPanelScratch;
    }
    for_row_tiles<kBf16Rows>(task.row_begin, task.row_end, [&](auto rows, std::size_t row) {
      constexpr std::size_t kRows = rows.value;
      Floats acc[kRows * kPanels];
      LORE_UNROLL
      for (std::size_t p = 0; p < kPanels; ++p) {
        LORE_UNROLL
        for (std::size_t r = 0; r < kRows; ++r) acc[p * kRows + r] = zero_floats();
        if (begin > 0) load_results<kRows>(task, row, (panel + p) * kPanelRows, acc + p * kRows);
      }
      add_pairs<kRows, kPanels>(lines, panel_stride, a.bf16 + row * stride + 2 * begin, stride,
                                count, acc);
      LORE_UNROLL
      for (std::size_t p = 0; p < kPanels; ++p) {
        store_results<kRows>(task, row, (panel + p) * kPanelRows, acc + p * kRows,
                             begin + count == pairs);
      }
    });
  }
}

template <FloatKind kKind>
void bf16_many(const MatmulTask& task) {
  std::size_t panel = task.panel_begin;
  for (; panel + kBf16Panels <= task.panel_end; panel += kBf16Panels) {
    bf16_panels<kKind, kBf16Panels>(task, panel);
  }
  for (; panel < task.panel_end; ++panel) bf16_panels<kKind, 1>(task, panel);
}

template <FloatKind kKind>
void bf16_few(const MatmulTask& task) {
  const PackedMatrix& weights = *task.weights;
  const Activations& a = *task.activations;
  const std::size_t stride = bf16_stride(a);
  const std::size_t pairs = (weights.k + 1) / 2;
  for (std::size_t panel = task.panel_begin; panel < task.panel_end; ++panel) {
    const std::uint8_t* data = weights.data + panel * weights.panel_bytes;
    for_row_tiles<kBf16FewRows>(task.row_begin, task.row_end, [&](auto rows, std::size_t row) {
      constexpr std::size_t kRows = rows.value;
      Floats acc[kRows];
      LORE_UNROLL
      for (std::size_t r = 0; r < kRows; ++r) acc[r] = zero_floats();
      const std::uint16_t* x = a.bf16 + row * stride;
      for (std::size_t i = 0; i < pairs; ++i) {
        ask_ahead(data + i * kLine);
        const __m512bh line = as_bf16(load_bf16_line<kKind>(data, i));
        LORE_UNROLL
        for (std::size_t r = 0; r < kRows; ++r) {
          const auto pair = as_bf16(broadcast_int(x + r * stride + 2 * i));
          acc[r] = _mm512_dpbf16_ps(acc[r], line, pair);
        }
      }
      store_results<kRows>(task, row, panel * kPanelRows, acc, true);
    });
  }
}

}  // namespace
}  // namespace lore::engine::cpu
