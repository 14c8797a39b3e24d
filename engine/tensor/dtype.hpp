// The element types of GGUF tensors: numbers, names and block sizes of the file format.
// Source: the GGUF specification (ggml's docs/gguf.md, `enum ggml_type`).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace lore::engine {

/// The value is the number that stands in the file.
enum class DType : std::uint32_t {
  f32 = 0,
  f16 = 1,
  q4_0 = 2,
  q4_1 = 3,
  q5_0 = 6,
  q5_1 = 7,
  q8_0 = 8,
  q2_k = 10,
  q3_k = 11,
  q4_k = 12,
  q5_k = 13,
  q6_k = 14,
  bf16 = 30,
};

/// `values` consecutive values of a row are stored in `bytes` bytes; a row is whole blocks.
struct BlockShape {
  std::size_t values;
  std::size_t bytes;
};

/// The type with this number, if the engine computes with it.
std::optional<DType> dtype_from_number(std::uint32_t number) noexcept;

/// The name of a GGUF type number, of those too that the engine does not compute with ("IQ4_XS"),
/// for messages; "type 43" style numbers are the caller's to print when this is empty.
std::string_view dtype_name(std::uint32_t number) noexcept;
inline std::string_view dtype_name(DType type) noexcept {
  return dtype_name(static_cast<std::uint32_t>(type));
}

BlockShape block_shape(DType type) noexcept;

/// Bytes of a row of `values` values; `values` must be a multiple of the block's.
inline std::size_t row_bytes(DType type, std::size_t values) noexcept {
  const BlockShape block = block_shape(type);
  return values / block.values * block.bytes;
}

}  // namespace lore::engine
