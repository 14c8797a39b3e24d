#include "engine/quant/quantize.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

#include "engine/quant/blocks.hpp"
#include "engine/quant/half.hpp"
#include "lore/error.hpp"

namespace lore::engine {
namespace {

constexpr std::size_t kBlock = 32;

/// A number that a code of `top` at most stands for. Written so that NaN gives 0: converting it to
/// an integer would be undefined.
std::uint8_t to_code(float value, float top) {
  if (!(value > 0.0F)) return 0;
  return static_cast<std::uint8_t>(std::min(value, top));
}

float inverse(float scale) { return scale != 0.0F ? 1.0F / scale : 0.0F; }

/// The value of largest magnitude, with its sign; the first one where several are.
float extreme(const float* x) {
  float largest = 0;
  float value = 0;
  for (std::size_t i = 0; i < kBlock; ++i) {
    if (largest < std::fabs(x[i])) {
      largest = std::fabs(x[i]);
      value = x[i];
    }
  }
  return value;
}

struct Codes {
  std::uint16_t d;
  std::uint16_t m;
  std::uint8_t codes[kBlock];
};

/// Codes 0 … 2 * middle - 1 around `middle`, the extreme value at code 0.
Codes symmetric_codes(const float* x, float middle) {
  const float d = extreme(x) / -middle;
  const float id = inverse(d);
  Codes out{f32_to_f16(d), 0, {}};
  for (std::size_t i = 0; i < kBlock; ++i) {
    out.codes[i] = to_code(x[i] * id + (middle + 0.5F), 2 * middle - 1);
  }
  return out;
}

/// Codes 0 … top between the least and the greatest value.
Codes ranged_codes(const float* x, float top) {
  const auto [least, greatest] = std::minmax_element(x, x + kBlock);
  const float d = (*greatest - *least) / top;
  const float id = inverse(d);
  Codes out{f32_to_f16(d), f32_to_f16(*least), {}};
  for (std::size_t i = 0; i < kBlock; ++i) {
    out.codes[i] = to_code((x[i] - *least) * id + 0.5F, top);
  }
  return out;
}

void pack_halves(const std::uint8_t* codes, std::uint8_t* out) {
  for (std::size_t i = 0; i < kBlock / 2; ++i) {
    out[i] = static_cast<std::uint8_t>((codes[i] & 15U) | ((codes[i + kBlock / 2] & 15U) << 4));
  }
}

void pack_fifth_bits(const std::uint8_t* codes, std::uint8_t* out) {
  std::memset(out, 0, 4);
  for (std::size_t i = 0; i < kBlock; ++i) {
    out[i / 8] |= static_cast<std::uint8_t>(((codes[i] >> 4) & 1U) << (i % 8));
  }
}

void quantize(const float* x, BlockQ8_0& out) {
  const float d = std::fabs(extreme(x)) / 127.0F;
  const float id = inverse(d);
  out.d = f32_to_f16(d);
  for (std::size_t i = 0; i < kBlock; ++i) {
    const float rounded = std::round(x[i] * id);
    out.codes[i] =
        std::fabs(rounded) <= 127.0F ? static_cast<std::int8_t>(rounded) : std::int8_t{0};
  }
}

void quantize(const float* x, BlockQ4_0& out) {
  const Codes codes = symmetric_codes(x, 8.0F);
  out.d = codes.d;
  pack_halves(codes.codes, out.codes);
}

void quantize(const float* x, BlockQ4_1& out) {
  const Codes codes = ranged_codes(x, 15.0F);
  out.d = codes.d;
  out.m = codes.m;
  pack_halves(codes.codes, out.codes);
}

void quantize(const float* x, BlockQ5_0& out) {
  const Codes codes = symmetric_codes(x, 16.0F);
  out.d = codes.d;
  pack_halves(codes.codes, out.codes);
  pack_fifth_bits(codes.codes, out.high);
}

void quantize(const float* x, BlockQ5_1& out) {
  const Codes codes = ranged_codes(x, 31.0F);
  out.d = codes.d;
  out.m = codes.m;
  pack_halves(codes.codes, out.codes);
  pack_fifth_bits(codes.codes, out.high);
}

template <typename Block>
void quantize_blocks(const float* x, std::size_t n, std::byte* out) {
  for (std::size_t i = 0; i < n / kBlock; ++i) {
    Block block;
    quantize(x + i * kBlock, block);
    std::memcpy(out + i * sizeof(block), &block, sizeof(block));
  }
}

template <typename Convert>
void convert_halves(const float* x, std::size_t n, std::byte* out, Convert convert) {
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint16_t bits = convert(x[i]);
    std::memcpy(out + 2 * i, &bits, sizeof(bits));
  }
}

}  // namespace

void quantize_row(DType type, const float* x, std::size_t n, std::byte* out) {
  switch (type) {
    case DType::f32:
      if (n > 0) std::memcpy(out, x, n * sizeof(float));
      return;
    case DType::f16:
      return convert_halves(x, n, out, f32_to_f16);
    case DType::bf16:
      return convert_halves(x, n, out, f32_to_bf16);
    case DType::q8_0:
      return quantize_blocks<BlockQ8_0>(x, n, out);
    case DType::q4_0:
      return quantize_blocks<BlockQ4_0>(x, n, out);
    case DType::q4_1:
      return quantize_blocks<BlockQ4_1>(x, n, out);
    case DType::q5_0:
      return quantize_blocks<BlockQ5_0>(x, n, out);
    case DType::q5_1:
      return quantize_blocks<BlockQ5_1>(x, n, out);
    default:
      throw Error(ErrorCode::unsupported,
                  "cannot quantize to " + std::string(dtype_name(type)) +
                      "; choose F32, F16, BF16, Q8_0, Q5_1, Q5_0, Q4_1 or Q4_0",
                  std::string(dtype_name(type)));
  }
}

}  // namespace lore::engine
