// Operations over one row of floats. Included after the vec.hpp of an instruction set.
#pragma once

#include "engine/backend/cpu/kernels/common/math_inl.hpp"
#include "engine/backend/cpu/kernels/kernel_table.hpp"

namespace lore::engine::cpu {
namespace {

/// body(first lane, lanes) over n lanes in vectors of 16, the last one shorter.
template <typename Body>
LORE_INLINE void for_lanes(std::size_t n, Body body) {
  std::size_t i = 0;
  for (; i + 16 <= n; i += 16) body(i, std::size_t{16});
  if (i < n) body(i, n - i);
}

LORE_INLINE Floats load_lanes(const float* x, std::size_t lanes) {
  return lanes == 16 ? load(x) : load_part(x, lanes);
}
LORE_INLINE void store_lanes(float* x, Floats v, std::size_t lanes) {
  if (lanes == 16) {
    store(x, v);
  } else {
    store_part(x, v, lanes);
  }
}

template <typename Function>
LORE_INLINE void map_row(const float* x, std::size_t n, float* out, Function function) {
  for_lanes(n, [&](std::size_t i, std::size_t lanes) LORE_INLINE_LAMBDA {
    store_lanes(out + i, function(load_lanes(x + i, lanes)), lanes);
  });
}

template <typename Function>
LORE_INLINE void map_rows(const float* a, const float* b, std::size_t n, float* out,
                          Function function) {
  for_lanes(n, [&](std::size_t i, std::size_t lanes) LORE_INLINE_LAMBDA {
    store_lanes(out + i, function(load_lanes(a + i, lanes), load_lanes(b + i, lanes)), lanes);
  });
}

/// 1 / sqrt(x), both correctly rounded.
LORE_INLINE Floats reciprocal_root(float x) {
  return divide(broadcast(1.0F), square_root(broadcast(x)));
}

/// How values become 8-bit codes: to_ints(multiply(value, inverse)), or 0 without an inverse.
struct CodeScale {
  float scale;
  float inverse;
};

/// Of n values (a multiple of 32) that share a scale, max|x| / 127. With a value that is not finite
/// the scale is NaN, so that whatever uses it is NaN too.
LORE_INLINE CodeScale code_scale(const float* x, std::size_t n) {
  const Ints magnitude = broadcast(std::int32_t{0x7FFFFFFF});
  // Magnitudes compare as integers, with infinity and NaN on top.
  Ints most_of_lanes = broadcast(std::int32_t{0});
  for (std::size_t i = 0; i < n; i += 32) {
    const Ints first = bit_and(as_ints(load(x + i)), magnitude);
    const Ints second = bit_and(as_ints(load(x + i + 16)), magnitude);
    most_of_lanes = maximum(most_of_lanes, maximum(first, second));
  }
  const std::int32_t most = max_lanes(most_of_lanes);
  constexpr std::int32_t kInfinity = 0x7F800000;
  constexpr std::int32_t kTiny = 0x0DA24260;  // 1e-30: below it 127 / max would overflow
  if (most < kTiny) return {0.0F, 0.0F};
  if (most >= kInfinity) return {__builtin_nanf(""), 0.0F};
  float largest;
  __builtin_memcpy(&largest, &most, sizeof(largest));
  return {largest / 127.0F, 127.0F / largest};
}

/// A group of 32 values as codes of a scale that it may share with others.
LORE_INLINE void group_codes(const float* x, CodeScale by, Ints& first, Ints& second) {
  if (by.inverse == 0.0F) {
    first = second = broadcast(std::int32_t{0});
    return;
  }
  const Floats inverse = broadcast(by.inverse);
  first = to_ints(multiply(load(x), inverse));
  second = to_ints(multiply(load(x + 16), inverse));
}

void quantize_q8(const float* x, std::size_t k, std::size_t span, std::int8_t* q8, float* scales,
                 std::int32_t* sums) {
  const std::size_t groups = k / kActivationGroup;
  for (std::size_t begin = 0; begin < groups; begin += span) {
    const std::size_t end = groups - begin < span ? groups : begin + span;
    const CodeScale by = code_scale(x + begin * kActivationGroup, (end - begin) * kActivationGroup);
    for (std::size_t g = begin; g < end; ++g) {
      Ints first;
      Ints second;
      group_codes(x + g * kActivationGroup, by, first, second);
      scales[g] = by.scale;
      store_i8(q8 + g * kActivationGroup, first);
      store_i8(q8 + g * kActivationGroup + 16, second);
      sums[2 * g] = sum_lanes(first);
      sums[2 * g + 1] = sum_lanes(second);
    }
  }
}

void f32_to_q8_0(const float* x, std::size_t n, void* out) {
  auto* to = static_cast<std::uint8_t*>(out);
  for (std::size_t g = 0; g < n / kActivationGroup; ++g) {
    const float* group = x + g * kActivationGroup;
    const CodeScale by = code_scale(group, kActivationGroup);
    std::uint16_t halves[16];
    store_f16(halves, broadcast(by.scale));
    __builtin_memcpy(to, halves, 2);
    Ints first;
    Ints second;
    group_codes(group, by, first, second);
    std::int8_t codes[kActivationGroup];
    store_i8(codes, first);
    store_i8(codes + 16, second);
    __builtin_memcpy(to + 2, codes, sizeof(codes));
    to += 2 + kActivationGroup;
  }
}

void convert_bf16(const float* x, std::size_t k, std::uint16_t* out) {
  for_lanes(k, [&](std::size_t i, std::size_t lanes)
                   LORE_INLINE_LAMBDA { store_bf16(out + i, load_lanes(x + i, lanes)); });
  const std::size_t written = (k + 15) / 16 * 16;
  if (written % 32 != 0) store_bf16(out + written, zero_floats());
}

void f32_to_f16(const float* x, std::size_t n, std::uint16_t* out) {
  for_lanes(n, [&](std::size_t i, std::size_t lanes) LORE_INLINE_LAMBDA {
    if (lanes == 16) {
      store_f16(out + i, load(x + i));
    } else {
      std::uint16_t halves[16];
      store_f16(halves, load_part(x + i, lanes));
      __builtin_memcpy(out + i, halves, lanes * 2);
    }
  });
}

void f16_to_f32(const std::uint16_t* x, std::size_t n, float* out) {
  for_lanes(n, [&](std::size_t i, std::size_t lanes) LORE_INLINE_LAMBDA {
    if (lanes == 16) {
      store(out + i, load_f16(x + i));
    } else {
      std::uint16_t halves[16] = {};
      __builtin_memcpy(halves, x + i, lanes * 2);
      store_part(out + i, load_f16(halves), lanes);
    }
  });
}

void rms_norm(const float* x, const float* weight, float epsilon, std::size_t n, float* out) {
  Floats squares = zero_floats();
  for_lanes(n, [&](std::size_t i, std::size_t lanes) LORE_INLINE_LAMBDA {
    const Floats v = load_lanes(x + i, lanes);
    squares = multiply_add(v, v, squares);
  });
  const Floats scale = reciprocal_root(sum_lanes(squares) / static_cast<float>(n) + epsilon);
  map_rows(x, weight, n, out,
           [&](Floats v, Floats w) LORE_INLINE_LAMBDA { return multiply(v, multiply(scale, w)); });
}

void layer_norm(const float* x, const float* weight, const float* bias, float epsilon,
                std::size_t n, float* out) {
  Floats sum = zero_floats();
  for_lanes(n, [&](std::size_t i, std::size_t lanes)
                   LORE_INLINE_LAMBDA { sum = add(sum, load_lanes(x + i, lanes)); });
  const float count = static_cast<float>(n);
  const Floats mean = broadcast(sum_lanes(sum) / count);
  Floats squares = zero_floats();
  for_lanes(n, [&](std::size_t i, std::size_t lanes) LORE_INLINE_LAMBDA {
    Floats v = subtract(load_lanes(x + i, lanes), mean);
    if (lanes != 16) {
      v = select_range(0, 0, static_cast<std::int32_t>(lanes), v, zero_floats());
    }
    squares = multiply_add(v, v, squares);
  });
  const Floats scale = reciprocal_root(sum_lanes(squares) / count + epsilon);
  for_lanes(n, [&](std::size_t i, std::size_t lanes) LORE_INLINE_LAMBDA {
    const Floats v = multiply(subtract(load_lanes(x + i, lanes), mean), scale);
    const Floats scaled =
        multiply_add(v, load_lanes(weight + i, lanes), load_lanes(bias + i, lanes));
    store_lanes(out + i, scaled, lanes);
  });
}

void add_rows(const float* a, const float* b, std::size_t n, float* out) {
  map_rows(a, b, n, out, [](Floats x, Floats y) LORE_INLINE_LAMBDA { return add(x, y); });
}
void multiply_rows(const float* a, const float* b, std::size_t n, float* out) {
  map_rows(a, b, n, out, [](Floats x, Floats y) LORE_INLINE_LAMBDA { return multiply(x, y); });
}
void scale_row(const float* x, float factor, std::size_t n, float* out) {
  const Floats by = broadcast(factor);
  map_row(x, n, out, [&](Floats v) LORE_INLINE_LAMBDA { return multiply(v, by); });
}
void gelu_erf(const float* x, std::size_t n, float* out) {
  map_row(x, n, out, [](Floats v) LORE_INLINE_LAMBDA { return gelu_exact(v); });
}
void gelu_tanh(const float* x, std::size_t n, float* out) {
  map_row(x, n, out, [](Floats v) LORE_INLINE_LAMBDA { return gelu_by_tanh(v); });
}
void silu(const float* x, std::size_t n, float* out) {
  map_row(x, n, out, [](Floats v) LORE_INLINE_LAMBDA { return silu_of(v); });
}
void silu_multiply(const float* gate, const float* up, std::size_t n, float* out) {
  map_rows(gate, up, n, out,
           [](Floats g, Floats u) LORE_INLINE_LAMBDA { return multiply(silu_of(g), u); });
}
void gelu_tanh_multiply(const float* gate, const float* up, std::size_t n, float* out) {
  map_rows(gate, up, n, out,
           [](Floats g, Floats u) LORE_INLINE_LAMBDA { return multiply(gelu_by_tanh(g), u); });
}

void rope(float* head, const float* cos_sin, std::size_t rotary_dim, bool interleaved) {
  const std::size_t half = rotary_dim / 2;
  const std::size_t step = interleaved ? 2 : 1;
  float* second = interleaved ? head + 1 : head + half;
  for (std::size_t i = 0; i < half; ++i) {
    const float x = head[i * step];
    const float y = second[i * step];
    head[i * step] = x * cos_sin[2 * i] - y * cos_sin[2 * i + 1];
    second[i * step] = x * cos_sin[2 * i + 1] + y * cos_sin[2 * i];
  }
}

float dot(const float* a, const float* b, std::size_t n) {
  Floats sums[4] = {zero_floats(), zero_floats(), zero_floats(), zero_floats()};
  std::size_t i = 0;
  for (; i + 64 <= n; i += 64) {
    unroll<4>([&](auto v) LORE_INLINE_LAMBDA {
      const std::size_t at = i + 16 * v.value;
      sums[v.value] = multiply_add(load(a + at), load(b + at), sums[v.value]);
    });
  }
  for_lanes(n - i, [&](std::size_t j, std::size_t lanes) LORE_INLINE_LAMBDA {
    sums[0] = multiply_add(load_lanes(a + i + j, lanes), load_lanes(b + i + j, lanes), sums[0]);
  });
  return sum_lanes(add(add(sums[0], sums[1]), add(sums[2], sums[3])));
}

}  // namespace
}  // namespace lore::engine::cpu
