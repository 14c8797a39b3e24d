#include "engine/tensor/arena.hpp"

#include <algorithm>
#include <numeric>

namespace lore::engine {

Placement place(const std::vector<Lifetime>& lifetimes) {
  std::vector<std::size_t> order(lifetimes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return lifetimes[a].bytes > lifetimes[b].bytes;
  });
  Placement result;
  result.offsets.resize(lifetimes.size());
  std::vector<std::size_t> placed;  // by offset
  for (const std::size_t current : order) {
    const Lifetime& life = lifetimes[current];
    std::size_t offset = 0;
    for (const std::size_t other : placed) {
      const Lifetime& neighbour = lifetimes[other];
      if (neighbour.last < life.first || life.last < neighbour.first) continue;
      if (result.offsets[other] >= offset + life.bytes) break;
      offset = std::max(offset, result.offsets[other] + neighbour.bytes);
    }
    result.offsets[current] = offset;
    result.total = std::max(result.total, offset + life.bytes);
    const auto position = std::upper_bound(
        placed.begin(), placed.end(), offset,
        [&](std::size_t value, std::size_t i) { return value < result.offsets[i]; });
    placed.insert(position, current);
  }
  return result;
}

}  // namespace lore::engine
