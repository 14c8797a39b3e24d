#include "engine/tokenizer/string_table.hpp"

#include <bit>

namespace lore::engine {

std::size_t StringIndex::slots_for(std::size_t count) {
  return std::bit_ceil(std::max<std::size_t>(2 * count, 16));
}

/// All texts differ, so that a new place is found without looking at them.
void StringIndex::grow() {
  std::vector<Slot> old(slots_for(slots_.size()));
  old.swap(slots_);
  const std::size_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.number == kNone) continue;
    std::size_t probe = 0;
    while (slots_[(slot.hash + probe) & mask].number != kNone) {
      if (++probe == kMostProbes) throw CrowdedTable();
    }
    slots_[(slot.hash + probe) & mask] = slot;
  }
}

void StringTable::reserve(std::size_t count, std::size_t bytes, std::size_t indexed) {
  ends_.reserve(count);
  bytes_.reserve(bytes);
  index_.reserve(indexed);
}

}  // namespace lore::engine
