// Taking blocks of the quantized types apart: the one place that knows where each bit lies, used
// by dequantization and by the packing of weights.
#pragma once

#include <cstddef>

#include "engine/quant/blocks.hpp"
#include "engine/tensor/dtype.hpp"

namespace lore::engine {

/// What sets the quantized types apart once their blocks are taken apart.
struct QuantTraits {
  std::size_t block = 0;  ///< values a block: 32 or 256; 0 for types that are not quantized
  std::size_t group = 0;  ///< values that share a scale: 32 or 16
  int offset = 0;         ///< subtracted from a code; 0 where `has_minimum`
  bool has_minimum = false;
};

QuantTraits quant_traits(DType type) noexcept;

/// Takes one block of a quantized type apart. `block` holds block_shape(type).bytes bytes, at any
/// alignment. Fields that the type lacks are left alone.
void unpack_fields(DType type, const std::byte* block, BlockFields& out) noexcept;

}  // namespace lore::engine
