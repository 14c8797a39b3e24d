// The random numbers of sampling: the same for a seed on every machine.
#pragma once

#include <array>
#include <cstdint>

namespace lore::engine {

/// xoshiro256** (Blackman and Vigna 2018), seeded through SplitMix64 as its authors advise.
/// Thread safety: one thread at a time.
class Random {
 public:
  explicit Random(std::uint64_t seed) noexcept;
  /// From a state of the generator itself; not all of it zero.
  explicit Random(const std::array<std::uint64_t, 4>& state) noexcept : state_(state) {}

  std::uint64_t next() noexcept;
  /// Uniform in [0, 1), a multiple of 2^-53.
  double uniform() noexcept { return static_cast<double>(next() >> 11U) * 0x1p-53; }

 private:
  std::array<std::uint64_t, 4> state_;
};

}  // namespace lore::engine
