// Strings kept end to end, found by their bytes: the vocabulary's storage.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/tokenizer/text_hash.hpp"

namespace lore::engine {

/// Entries that a hash table looks at for one key, at most. Tables of real vocabularies stay far
/// below; a file whose entries are made to collide gets there, and would cost their square.
inline constexpr std::size_t kMostProbes = 1024;
/// Thrown where a table would need more; Tokenizer::from_metadata makes it an Error.
struct CrowdedTable {};

/// Finds numbers by the texts that they stand for. The texts live elsewhere: `text_of(number)`, the
/// same in every call, gives one. One look-up is one hash of the bytes and, nearly always, one
/// comparison; nothing is allocated.
///
/// Thread safety: immutable once filled; any thread may call the const functions.
class StringIndex {
 public:
  static constexpr std::int32_t kNone = -1;

  /// Room for so many texts.
  void reserve(std::size_t count) {
    if (used_ == 0 && 2 * count > slots_.size()) slots_.assign(slots_for(count), {});
  }
  /// Makes a number findable, unless its text is empty or an equal one already is. False then.
  /// Throws CrowdedTable.
  template <typename TextOf>
  bool add(std::int32_t number, const TextOf& text_of) {
    const std::string_view text = text_of(number);
    if (text.empty()) return false;
    if (2 * (used_ + 1) > slots_.size()) grow();
    const std::uint32_t hash = hash_of(text);
    Slot& slot = slots_[slot_of(text, hash, text_of)];
    if (slot.number != kNone) return false;
    slot = {hash, number};
    ++used_;
    longest_ = std::max(longest_, text.size());
    return true;
  }
  /// The number of an added text with these bytes, or kNone.
  template <typename TextOf>
  std::int32_t find(std::string_view text, const TextOf& text_of) const noexcept {
    if (text.size() > longest_ || text.empty()) return kNone;
    const std::uint32_t hash = hash_of(text);
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t probe = 0; probe < kMostProbes; ++probe) {
      const Slot& slot = slots_[(hash + probe) & mask];
      if (slot.number == kNone) return kNone;
      if (slot.hash == hash && text_of(slot.number) == text) return slot.number;
    }
    return kNone;
  }
  std::size_t size() const noexcept { return used_; }
  /// Length of the longest text.
  std::size_t longest() const noexcept { return longest_; }

 private:
  struct Slot {
    std::uint32_t hash = 0;
    std::int32_t number = kNone;
  };
  static std::size_t slots_for(std::size_t count);
  void grow();

  /// Where the text is, or the empty slot where it belongs.
  template <typename TextOf>
  std::size_t slot_of(std::string_view text, std::uint32_t hash, const TextOf& text_of) const {
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t probe = 0; probe < kMostProbes; ++probe) {
      const std::size_t place = (hash + probe) & mask;
      const Slot& slot = slots_[place];
      if (slot.number == kNone || (slot.hash == hash && text_of(slot.number) == text)) return place;
    }
    throw CrowdedTable();
  }

  std::vector<Slot> slots_;  // a power of two of them, at most half full
  std::size_t used_ = 0;
  std::size_t longest_ = 0;
};

/// Numbered strings, some of which can be found by their bytes.
///
/// Thread safety: immutable once filled; any thread may call the const functions.
class StringTable {
  auto text_of() const noexcept {
    return [this](std::int32_t number) { return (*this)[static_cast<std::size_t>(number)]; };
  }

 public:
  static constexpr std::int32_t kNone = StringIndex::kNone;

  /// Room for so many strings, of so many bytes together, of which `indexed` will be indexed.
  void reserve(std::size_t count, std::size_t bytes, std::size_t indexed);
  /// Appends a string; its number is the number of those before. At most 2^31 - 1 strings and 2^32
  /// - 1 bytes in all (the caller checks).
  void add(std::string_view text) {
    bytes_.append(text);
    ends_.push_back(static_cast<std::uint32_t>(bytes_.size()));
  }
  /// Makes string `number` findable, unless it is empty or an equal one already is: false then.
  /// Throws CrowdedTable.
  bool index(std::int32_t number) { return index_.add(number, text_of()); }

  std::size_t size() const noexcept { return ends_.size(); }
  std::string_view operator[](std::size_t number) const noexcept {
    const std::size_t begin = number == 0 ? 0 : ends_[number - 1];
    return {bytes_.data() + begin, ends_[number] - begin};
  }
  /// The number of an indexed string with these bytes, or kNone.
  std::int32_t find(std::string_view text) const noexcept { return index_.find(text, text_of()); }
  /// Length of the longest indexed string.
  std::size_t longest() const noexcept { return index_.longest(); }

 private:
  std::string bytes_;
  std::vector<std::uint32_t> ends_;
  StringIndex index_;
};

}  // namespace lore::engine
