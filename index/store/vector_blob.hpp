// float32 vectors as BLOBs: little-endian, no header.
#pragma once

#include <bit>
#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

namespace lore::index {

namespace detail {

inline float swapped(float value) {
  auto bits = std::bit_cast<std::uint32_t>(value);
  bits = (bits >> 24) | ((bits >> 8) & 0xFF00U) | ((bits << 8) & 0xFF0000U) | (bits << 24);
  return std::bit_cast<float>(bits);
}

}  // namespace detail

/// Reads out.size() floats; blob has exactly that many.
inline void floats_of_blob(std::span<const std::byte> blob, std::span<float> out) {
  std::memcpy(out.data(), blob.data(), out.size_bytes());
  if constexpr (std::endian::native == std::endian::big) {
    for (float& value : out) value = detail::swapped(value);
  }
}

/// The bytes to store; `scratch` holds them where they are not those of `vector` itself.
inline std::span<const std::byte> blob_of_floats(std::span<const float> vector,
                                                 std::vector<float>& scratch) {
  if constexpr (std::endian::native == std::endian::little) return std::as_bytes(vector);
  scratch.assign(vector.begin(), vector.end());
  for (float& value : scratch) value = detail::swapped(value);
  return std::as_bytes(std::span<const float>(scratch));
}

}  // namespace lore::index
