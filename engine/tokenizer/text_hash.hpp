// The hash of the tokenizers' tables.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace lore::engine {

inline constexpr std::uint64_t kHashMultiplier = 0x9E3779B97F4A7C15U;  // 2^64 / the golden ratio

namespace text_hash {

inline std::uint64_t eight_bytes(const char* bytes) noexcept {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof(word));
  return word;
}

/// One to seven bytes as a number that tells them apart, without a loop: two halves that overlap.
inline std::uint64_t some_bytes(const char* bytes, std::size_t count) noexcept {
  if (count >= 4) {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
    std::memcpy(&first, bytes, sizeof(first));
    std::memcpy(&last, bytes + count - sizeof(last), sizeof(last));
    return first | static_cast<std::uint64_t>(last) << 32;
  }
  const auto byte = [&](std::size_t i) {
    return static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[i]));
  };
  return byte(0) | byte(count / 2) << 8 | byte(count - 1) << 16;
}

}  // namespace text_hash

/// Eight bytes a step; good enough to keep probe chains short, and fast on words of a few bytes.
inline std::uint32_t hash_of(std::string_view text) noexcept {
  std::uint64_t hash = text.size() * kHashMultiplier;
  const char* bytes = text.data();
  std::size_t left = text.size();
  for (; left >= 8; left -= 8, bytes += 8) {
    hash = (std::rotl(hash, 23) ^ text_hash::eight_bytes(bytes)) * kHashMultiplier;
  }
  if (left > 0) {
    hash = (std::rotl(hash, 23) ^ text_hash::some_bytes(bytes, left)) * kHashMultiplier;
  }
  return static_cast<std::uint32_t>((hash ^ (hash >> 29)) * kHashMultiplier >> 32);
}

}  // namespace lore::engine
