#include "engine/tokenizer/word_cache.hpp"

#include <new>

namespace lore::engine {

WordCache::WordCache() : entries_(static_cast<Entry*>(std::calloc(kEntries, sizeof(Entry)))) {
  if (!entries_) throw std::bad_alloc();
}

void WordCache::put(const Key& key, std::span<const TokenId> ids) noexcept {
  if (ids.empty() || ids.size() > kMostIds) return;
  // An empty place, or else the one of the two that was written less often.
  Entry& first = entries_[key.entry];
  Entry& second = entries_[key.entry ^ 1U];
  const std::uint64_t first_head = Atomic(first.head).load(std::memory_order_relaxed);
  const std::uint64_t second_head = Atomic(second.head).load(std::memory_order_relaxed);
  const bool take_first = first_head >> 16U <= second_head >> 16U;
  Entry& entry = take_first ? first : second;
  std::uint64_t head = take_first ? first_head : second_head;
  const bool busy = (head & 1U) != 0;
  if (busy || !Atomic(entry.head)
                   .compare_exchange_strong(head, head | 1U, std::memory_order_acquire,
                                            std::memory_order_relaxed)) {
    return;  // another thread writes here
  }
  for (std::size_t i = 0; i < key.bytes.size(); ++i) {
    Atomic(entry.bytes[i]).store(key.bytes[i], std::memory_order_release);
  }
  for (std::size_t i = 0; i < ids.size(); i += 2) {
    const std::uint64_t low = static_cast<std::uint32_t>(ids[i]);
    const std::uint64_t high = i + 1 < ids.size() ? static_cast<std::uint32_t>(ids[i + 1]) : 0U;
    Atomic(entry.ids[i / 2]).store(high << 32U | low, std::memory_order_release);
  }
  const std::uint64_t writes = (head >> 16U) + 1;
  Atomic(entry.head)
      .store(writes << 16U | key.length << 8U | ids.size() << 1U, std::memory_order_release);
}

}  // namespace lore::engine
