#include "engine/quant/dequantize.hpp"

#include <cstring>

#include "engine/quant/fields.hpp"
#include "engine/quant/half.hpp"

namespace lore::engine {
namespace {

template <typename Convert>
void convert_halves(const std::byte* x, std::size_t n, float* out, Convert convert) {
  for (std::size_t i = 0; i < n; ++i) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, x + 2 * i, sizeof(bits));
    out[i] = convert(bits);
  }
}

void dequantize_block(DType type, const QuantTraits& traits, const std::byte* x, float* out) {
  BlockFields fields;
  unpack_fields(type, x, fields);
  const float d = f16_to_f32(fields.d);
  const float dmin = traits.has_minimum ? f16_to_f32(fields.dmin) : 0.0F;
  const bool plain = traits.block == 32;
  for (std::size_t g = 0; g < traits.block / traits.group; ++g) {
    const float scale = plain ? d : d * static_cast<float>(fields.scales[g]);
    const std::uint8_t* codes = fields.codes + g * traits.group;
    float* to = out + g * traits.group;
    if (!traits.has_minimum) {
      for (std::size_t i = 0; i < traits.group; ++i) {
        to[i] = scale * static_cast<float>(codes[i] - traits.offset);
      }
      continue;
    }
    const float minimum = plain ? dmin : -(dmin * static_cast<float>(fields.minimums[g]));
    for (std::size_t i = 0; i < traits.group; ++i) {
      to[i] = scale * static_cast<float>(codes[i]) + minimum;
    }
  }
}

}  // namespace

void dequantize_row(DType type, const std::byte* x, std::size_t n, float* out) noexcept {
  if (type == DType::f32) {
    if (n > 0) std::memcpy(out, x, n * sizeof(float));
    return;
  }
  if (type == DType::f16) return convert_halves(x, n, out, f16_to_f32);
  if (type == DType::bf16) return convert_halves(x, n, out, bf16_to_f32);
  const QuantTraits traits = quant_traits(type);
  const std::size_t bytes = block_shape(type).bytes;
  for (std::size_t i = 0; i < n / traits.block; ++i) {
    dequantize_block(type, traits, x + i * bytes, out + i * traits.block);
  }
}

}  // namespace lore::engine
