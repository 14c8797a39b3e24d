// One block of attention: scores of a tile of queries against up to 64 keys, softmax with running
// maximum and sum, and the weighted sum of values. Included after the vec.hpp of an instruction
// set.
//
// A query's operations do not depend on its tile: a score is one chain of multiply-adds over the
// head's dimensions, an output one chain over the keys in their order; keys that it may not see
// enter with probability exactly 0.
#pragma once

#include "engine/backend/cpu/kernels/common/math_inl.hpp"
#include "engine/backend/cpu/kernels/common/results_inl.hpp"
#include "engine/backend/cpu/kernels/common/rows_inl.hpp"
#include "engine/backend/cpu/kernels/kernel_table.hpp"

namespace lore::engine::cpu {
namespace {

constexpr std::size_t round_up_16(std::size_t n) { return (n + 15) / 16 * 16; }

/// The pieces of the caller's scratch.
struct AttentionScratch {
  float* keys;           // [head_dim rounded up to 16, kKeyBlock]: transposed
  float* values;         // [kKeyBlock, head_dim rounded up to 16], where they need converting
  float* probabilities;  // [kAttentionRows, kKeyBlock]
};

std::size_t attention_scratch_floats(std::size_t head_dim) {
  return 2 * kKeyBlock * round_up_16(head_dim) + kAttentionRows * kKeyBlock + 16;
}

LORE_INLINE AttentionScratch divide_scratch(float* scratch, std::size_t head_dim) {
  const auto address = reinterpret_cast<std::uintptr_t>(scratch);
  scratch += (64 - address % 64) % 64 / sizeof(float);
  const std::size_t plane = kKeyBlock * round_up_16(head_dim);
  return {scratch, scratch + plane, scratch + 2 * plane};
}

/// Dimensions [d, d + lanes) of a stored row; zeros after them.
template <CacheFormat kFormat>
LORE_INLINE Floats load_stored(const void* row, std::size_t d, std::size_t lanes) {
  if constexpr (kFormat == CacheFormat::f32) {
    return load_lanes(static_cast<const float*>(row) + d, lanes);
  } else if constexpr (kFormat == CacheFormat::f16) {
    const auto* halves = static_cast<const std::uint16_t*>(row) + d;
    if (lanes == 16) return load_f16(halves);
    std::uint16_t part[16] = {};
    __builtin_memcpy(part, halves, lanes * 2);
    return load_f16(part);
  } else {
    const auto* block = static_cast<const std::uint8_t*>(row) + d / 32 * 34;
    std::uint16_t scales[16] = {};
    __builtin_memcpy(scales, block, 2);
    const Floats scale = broadcast(sum_lanes(load_f16(scales)));
    return multiply(scale, to_floats(load_i8(block + 2 + d % 32)));
  }
}

/// Bytes of a stored row.
template <CacheFormat kFormat>
LORE_INLINE std::size_t stored_bytes(std::size_t head_dim) {
  if constexpr (kFormat == CacheFormat::f32) return head_dim * 4;
  if constexpr (kFormat == CacheFormat::f16) return head_dim * 2;
  return head_dim / 32 * 34;
}

/// Asks for rows [first, first + count) of the next block.
LORE_INLINE void fetch_rows(const void* next, std::size_t stride, std::size_t first,
                            std::size_t count, std::size_t row_bytes) {
  if (next == nullptr) return;
  const auto* rows = static_cast<const std::uint8_t*>(next) + first * stride;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t at = 0; at < row_bytes; at += 64) prefetch(rows + i * stride + at);
  }
}

template <CacheFormat kFormat>
LORE_INLINE void transpose_keys(const AttentionBlock& b, float* out) {
  const auto* keys = static_cast<const std::uint8_t*>(b.keys);
  // Columns that a vector tile reads beyond the last key are zero.
  constexpr std::size_t kTile = 16 * kAttentionVectors;
  const std::size_t columns = (b.key_count + kTile - 1) / kTile * kTile;
  for (std::size_t first = 0; first < columns; first += 16) {
    const std::size_t left = first < b.key_count ? b.key_count - first : 0;
    const std::size_t count = left < 16 ? left : 16;
    fetch_rows(b.next_keys, b.key_stride, first, 16, stored_bytes<kFormat>(b.head_dim));
    for_lanes(b.head_dim, [&](std::size_t d, std::size_t lanes) LORE_INLINE_LAMBDA {
      Floats square[16];
      for (std::size_t i = 0; i < 16; ++i) {
        square[i] = i < count ? load_stored<kFormat>(keys + (first + i) * b.key_stride, d, lanes)
                              : zero_floats();
      }
      transpose(square);
      for (std::size_t i = 0; i < 16; ++i) store(out + (d + i) * kKeyBlock + first, square[i]);
    });
  }
}

template <CacheFormat kFormat>
LORE_INLINE void convert_values(const AttentionBlock& b, float* out) {
  const auto* values = static_cast<const std::uint8_t*>(b.values);
  const std::size_t stride = round_up_16(b.head_dim);
  for (std::size_t i = 0; i < b.key_count; ++i) {
    fetch_rows(b.next_values, b.value_stride, i, 1, stored_bytes<kFormat>(b.head_dim));
    for_lanes(b.head_dim, [&](std::size_t d, std::size_t lanes) LORE_INLINE_LAMBDA {
      store(out + i * stride + d, load_stored<kFormat>(values + i * b.value_stride, d, lanes));
    });
  }
}

/// scores[r, key] = query r . key, for a tile of rows; kVectors times 16 keys at a time.
template <std::size_t kRows, std::size_t kVectors>
LORE_INLINE void score_tile(const AttentionBlock& b, std::size_t row, const float* keys,
                            std::size_t vectors, float* scores) {
  const float* queries = b.queries + row * b.query_stride;
  for (std::size_t v = 0; v < vectors; v += kVectors) {
    Floats acc[kRows][kVectors];
    LORE_UNROLL
    for (std::size_t r = 0; r < kRows; ++r) {
      LORE_UNROLL
      for (std::size_t i = 0; i < kVectors; ++i) acc[r][i] = zero_floats();
    }
    for (std::size_t d = 0; d < b.head_dim; ++d) {
      Floats key[kVectors];
      LORE_UNROLL
      for (std::size_t i = 0; i < kVectors; ++i) {
        key[i] = load(keys + d * kKeyBlock + (v + i) * 16);
      }
      LORE_UNROLL
      for (std::size_t r = 0; r < kRows; ++r) {
        const Floats query = broadcast_float(queries + r * b.query_stride + d);
        LORE_UNROLL
        for (std::size_t i = 0; i < kVectors; ++i) {
          acc[r][i] = multiply_add(query, key[i], acc[r][i]);
        }
      }
    }
    LORE_UNROLL
    for (std::size_t r = 0; r < kRows; ++r) {
      LORE_UNROLL
      for (std::size_t i = 0; i < kVectors; ++i) {
        store(scores + r * kKeyBlock + (v + i) * 16, acc[r][i]);
      }
    }
  }
}

/// Hides the keys that a row may not see, applies the soft cap, and gives the greatest score.
LORE_INLINE float mask_row(const AttentionBlock& b, std::size_t row, float* scores) {
  const std::size_t vectors = (b.key_count + 15) / 16;
  const std::int32_t begin = b.visible_begin[row];
  const std::int32_t end = b.visible_end[row];
  const bool all = begin <= 0 && end >= static_cast<std::int32_t>(vectors * 16);
  if (b.softcap > 0) {
    const Floats cap = broadcast(b.softcap);
    for (std::size_t v = 0; v < vectors; ++v) {
      const Floats s = divide(load(scores + v * 16), cap);
      store(scores + v * 16, multiply(cap, hyperbolic_tangent(s)));
    }
  }
  const Floats hidden = broadcast(-__builtin_inff());
  Floats most = hidden;
  for (std::size_t v = 0; v < vectors; ++v) {
    Floats s = load(scores + v * 16);
    if (!all) {
      s = select_range(static_cast<std::int32_t>(v * 16), begin, end, s, hidden);
      store(scores + v * 16, s);
    }
    most = maximum(most, s);
  }
  return max_lanes(most);
}

/// Turns a row of scores into probabilities relative to `most` and gives their sum.
LORE_INLINE float soften_row(const AttentionBlock& b, float most, float* scores) {
  const std::size_t vectors = (b.key_count + 15) / 16;
  const Floats reference = broadcast(most);
  Floats sum = zero_floats();
  for (std::size_t v = 0; v < vectors; ++v) {
    const Floats p = exponential(subtract(load(scores + v * 16), reference));
    store(scores + v * 16, p);
    sum = add(sum, p);
  }
  return sum_lanes(sum);
}

/// Softmax of a tile's scores in place: probabilities relative to each row's new maximum. Updates
/// maximum and sum of the active rows; factors[r] is for what was accumulated before.
template <std::size_t kRows>
LORE_INLINE void soften_tile(const AttentionBlock& b, std::size_t row, const bool* active,
                             float* scores, float* factors) {
  float rises[16] = {};  // old maximum less new one, of all rows for one exponential
  for (std::size_t r = 0; r < kRows; ++r) {
    if (!active[r]) continue;
    const float before = b.maximum[row + r];
    const float here = mask_row(b, row + r, scores + r * kKeyBlock);
    const float now = before > here ? before : here;
    rises[r] = before - now;
    b.maximum[row + r] = now;
  }
  store(factors, exponential(load(rises)));
  for (std::size_t r = 0; r < kRows; ++r) {
    if (!active[r]) continue;
    const float sum = soften_row(b, b.maximum[row + r], scores + r * kKeyBlock);
    b.sum[row + r] = b.sum[row + r] * factors[r] + sum;
  }
}

/// accumulator[r] = accumulator[r] * factor[r] + sum over keys of probability * value.
template <std::size_t kRows>
LORE_INLINE void weigh_values(const AttentionBlock& b, std::size_t row, const float* values,
                              std::size_t stride, const float* probabilities, const float* factors,
                              const bool* active) {
  for (std::size_t d = 0; d < b.head_dim; d += 16 * kAttentionVectors) {
    std::size_t lanes[kAttentionVectors];
    LORE_UNROLL
    for (std::size_t i = 0; i < kAttentionVectors; ++i) {
      const std::size_t at = d + 16 * i;
      lanes[i] = at >= b.head_dim ? 0 : (b.head_dim - at < 16 ? b.head_dim - at : 16);
    }
    Floats acc[kRows][kAttentionVectors];
    LORE_UNROLL
    for (std::size_t r = 0; r < kRows; ++r) {
      const float* from = b.accumulator + (row + r) * b.head_dim + d;
      LORE_UNROLL
      for (std::size_t i = 0; i < kAttentionVectors; ++i) {
        acc[r][i] = multiply(load_lanes(from + 16 * i, lanes[i]), broadcast(factors[r]));
      }
    }
    const bool whole = lanes[kAttentionVectors - 1] == 16;
    for (std::size_t key = 0; key < b.key_count; ++key) {
      Floats value[kAttentionVectors];
      LORE_UNROLL
      for (std::size_t i = 0; i < kAttentionVectors; ++i) {
        const float* from = values + key * stride + d + 16 * i;
        value[i] = whole ? load(from) : load_part(from, lanes[i]);
      }
      LORE_UNROLL
      for (std::size_t r = 0; r < kRows; ++r) {
        const Floats p = broadcast_float(probabilities + r * kKeyBlock + key);
        LORE_UNROLL
        for (std::size_t i = 0; i < kAttentionVectors; ++i) {
          acc[r][i] = multiply_add(p, value[i], acc[r][i]);
        }
      }
    }
    LORE_UNROLL
    for (std::size_t r = 0; r < kRows; ++r) {
      if (!active[r]) continue;
      float* to = b.accumulator + (row + r) * b.head_dim + d;
      LORE_UNROLL
      for (std::size_t i = 0; i < kAttentionVectors; ++i) {
        store_lanes(to + 16 * i, acc[r][i], lanes[i]);
      }
    }
  }
}

template <std::size_t kRows>
void attend_tile(const AttentionBlock& block, std::size_t row, const AttentionScratch& scratch,
                 const float* values, std::size_t value_stride) {
  float factors[16];
  bool active[kRows];
  std::int32_t end = 0;
  for (std::size_t r = 0; r < kRows; ++r) {
    active[r] = block.visible_begin[row + r] < block.visible_end[row + r];
    if (active[r] && block.visible_end[row + r] > end) end = block.visible_end[row + r];
  }
  if (end == 0) return;
  // Of the keys on the diagonal only those that some row of the tile may see.
  AttentionBlock b = block;
  if (static_cast<std::size_t>(end) < b.key_count) b.key_count = static_cast<std::size_t>(end);
  const std::size_t vectors = (b.key_count + 15) / 16;
  constexpr std::size_t kHalf = kAttentionVectors == 1 ? 1 : kAttentionVectors / 2;
  if (vectors <= kHalf) {
    score_tile<kRows, kHalf>(b, row, scratch.keys, vectors, scratch.probabilities);
  } else {
    score_tile<kRows, kAttentionVectors>(b, row, scratch.keys, vectors, scratch.probabilities);
  }
  soften_tile<kRows>(b, row, active, scratch.probabilities, factors);
  weigh_values<kRows>(b, row, values, value_stride, scratch.probabilities, factors, active);
}

template <CacheFormat kFormat>
LORE_INLINE void attend(const AttentionBlock& b) {
  const AttentionScratch scratch = divide_scratch(b.scratch, b.head_dim);
  transpose_keys<kFormat>(b, scratch.keys);
  const float* values = scratch.values;
  std::size_t value_stride = round_up_16(b.head_dim);
  if constexpr (kFormat == CacheFormat::f32) {
    values = static_cast<const float*>(b.values);
    value_stride = b.value_stride / sizeof(float);
  } else {
    convert_values<kFormat>(b, scratch.values);
  }
  for_row_tiles<kAttentionRows>(0, b.rows, [&](auto rows, std::size_t row) LORE_INLINE_LAMBDA {
    attend_tile<rows.value>(b, row, scratch, values, value_stride);
  });
}

void attention_block(const AttentionBlock& b) {
  if (b.key_count == 0 || b.rows == 0) return;
  switch (b.format) {
    case CacheFormat::f32:
      return attend<CacheFormat::f32>(b);
    case CacheFormat::f16:
      return attend<CacheFormat::f16>(b);
    case CacheFormat::q8_0:
      return attend<CacheFormat::q8_0>(b);
  }
}

}  // namespace
}  // namespace lore::engine::cpu
