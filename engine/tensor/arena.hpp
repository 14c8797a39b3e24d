// Placing values with known lifetimes into one block of memory.
#pragma once

#include <cstddef>
#include <vector>

namespace lore::engine {

/// A value that is needed from step `first` to step `last`, both included.
struct Lifetime {
  std::size_t bytes = 0;
  std::size_t first = 0;
  std::size_t last = 0;
};

struct Placement {
  std::vector<std::size_t> offsets;  ///< one a lifetime
  std::size_t total = 0;             ///< bytes of the block
};

/// Places the values so that no two that live at the same time overlap: largest first, each into
/// the lowest gap that holds it (the "greedy by size" of Pisarchyk and Lee, "Efficient Memory
/// Management for Deep Neural Net Inference", 2020).
Placement place(const std::vector<Lifetime>& lifetimes);

}  // namespace lore::engine
