// What words became: texts repeat their words, and most of them need to be merged or looked up only
// once.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "engine/tensor/token_id.hpp"
#include "engine/tokenizer/text_hash.hpp"

namespace lore::engine {

/// Short words and their ids, in a table of fixed size (2 MiB, of which the system gives what is
/// used) that forgets words for newer ones. It changes how fast an answer comes, never the answer:
/// a word's ids are always the same.
///
/// Thread safety: any thread may call anything at any time; nobody waits.
class WordCache {
 public:
  static constexpr std::size_t kMostBytes = 24;  ///< of a word that is kept
  static constexpr std::size_t kMostIds = 8;

  /// A word of 1 to kMostBytes bytes, as the table compares it.
  struct Key {
    std::array<std::uint64_t, 3> bytes;  ///< zeros behind the word's own
    std::uint64_t length;
    std::size_t entry;  ///< where it may stand; the next one is the other place
  };
  /// The key of text[begin, begin + length).
  static Key key_of(std::string_view text, std::size_t begin, std::size_t length) noexcept;

  /// Throws std::bad_alloc.
  WordCache();

  /// Appends the word's ids. False, with nothing appended, where the word is not known.
  bool find(const Key& key, std::vector<TokenId>& ids) const {
    // Which of the two places is a coin toss, and better no branch.
    const std::uint64_t first = Atomic(entries_[key.entry].bytes[0]).load(kRelaxed);
    const bool second = first != key.bytes[0];
    return find_in(entries_[key.entry ^ static_cast<std::size_t>(second)], key, ids) ||
           (!second && find_in(entries_[key.entry ^ 1U], key, ids));
  }
  /// Remembers a word, unless it has no ids or over kMostIds.
  void put(const Key& key, std::span<const TokenId> ids) noexcept;

 private:
  static constexpr auto kRelaxed = std::memory_order_relaxed;
  static constexpr std::size_t kEntries = 32768;

  /// A sequence lock, one cache line: a writer makes `head` odd, writes, and makes it even and
  /// greater. A reader that finds it even and the same before and after has read what belongs
  /// together; the order of the accesses sees to that (a reader that got a value of a later writer
  /// sees that writer's odd head, too).
  struct Entry {
    std::uint64_t head;  ///< writes << 16 | word's length << 8 | ids << 1 | busy
    std::array<std::uint64_t, 3> bytes;
    std::array<std::uint64_t, kMostIds / 2> ids;  ///< two a number, the first in the low half
  };
  static_assert(sizeof(Entry) == 64);
  struct Free {
    void operator()(void* memory) const noexcept { std::free(memory); }
  };
  using Atomic = std::atomic_ref<std::uint64_t>;

  static constexpr auto masks();
  static bool find_in(Entry& entry, const Key& key, std::vector<TokenId>& ids);

  std::unique_ptr<Entry[], Free> entries_;  // zeros that the system gives at first touch
};

/// Keep the first so many of 24 bytes.
constexpr auto WordCache::masks() {
  std::array<std::array<std::uint64_t, 3>, kMostBytes + 1> masks{};
  for (std::size_t length = 0; length < masks.size(); ++length) {
    for (std::size_t byte = 0; byte < length; ++byte) {
      masks[length][byte / 8] |= std::uint64_t{0xFF} << (8 * (byte % 8));
    }
  }
  return masks;
}

inline WordCache::Key WordCache::key_of(std::string_view text, std::size_t begin,
                                        std::size_t length) noexcept {
  Key key{{0, 0, 0}, length, 0};
  if (text.size() - begin >= kMostBytes) {  // as nearly always: whole loads, then masks
    static constexpr auto kMasks = masks();
    std::memcpy(key.bytes.data(), text.data() + begin, kMostBytes);
    for (std::size_t i = 0; i < key.bytes.size(); ++i) key.bytes[i] &= kMasks[length][i];
  } else {
    std::memcpy(key.bytes.data(), text.data() + begin, length);
  }
  std::uint64_t hash = (key.bytes[0] ^ length << 56U) * kHashMultiplier;
  hash = (hash ^ hash >> 32U ^ key.bytes[1]) * 0xD6E8FEB86659FD93U;
  hash = (hash ^ hash >> 32U ^ key.bytes[2]) * kHashMultiplier;
  key.entry = (hash >> 40U) % kEntries;
  return key;
}

inline bool WordCache::find_in(Entry& entry, const Key& key, std::vector<TokenId>& ids) {
  const std::uint64_t head = Atomic(entry.head).load(std::memory_order_acquire);
  if ((head & 0xFF01U) != key.length << 8U) return false;
  for (std::size_t i = 0; i < key.bytes.size(); ++i) {
    if (Atomic(entry.bytes[i]).load(std::memory_order_acquire) != key.bytes[i]) return false;
  }
  const std::size_t count = (head & 0xFFU) >> 1U;
  std::array<TokenId, kMostIds> found;
  for (std::size_t i = 0; i < count; i += 2) {
    const std::uint64_t pair = Atomic(entry.ids[i / 2]).load(std::memory_order_acquire);
    found[i] = static_cast<TokenId>(pair & 0xFFFFFFFFU);
    found[i + 1] = static_cast<TokenId>(pair >> 32U);
  }
  if (Atomic(entry.head).load(std::memory_order_relaxed) != head) return false;
  if (count == 1) {
    ids.push_back(found[0]);
  } else {
    ids.insert(ids.end(), found.begin(), found.begin() + static_cast<std::ptrdiff_t>(count));
  }
  return true;
}

}  // namespace lore::engine
