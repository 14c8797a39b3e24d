// XXH64, a fast 64-bit hash: tells a damaged vector file from a sound one. It is no defence against
// somebody who forges files.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace lore::index {

/// A running XXH64 with seed 0 (specification: "xxHash fast digest algorithm", Yann Collet).
/// Thread safety: one thread at a time.
class Checksum {
 public:
  void update(std::span<const std::byte> bytes);
  std::uint64_t finish() const;

 private:
  void consume(const std::byte* stripe);

  static constexpr std::size_t kStripe = 32;
  static constexpr std::uint64_t kPrime1 = 0x9E3779B185EBCA87ULL;
  static constexpr std::uint64_t kPrime2 = 0xC2B2AE3D27D4EB4FULL;

  std::array<std::uint64_t, 4> lanes_ = {kPrime1 + kPrime2, kPrime2, 0, 0 - kPrime1};
  std::array<std::byte, kStripe> pending_{};
  std::size_t pending_size_ = 0;
  std::uint64_t total_ = 0;
};

}  // namespace lore::index
