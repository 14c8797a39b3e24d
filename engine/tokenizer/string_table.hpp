// Strings kept end to end, found by their bytes: the vocabulary's storage.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lore::engine {

/// Entries that a hash table looks at for one key, at most. Half-full tables of real vocabularies
/// stay far below; a file whose entries are made to collide gets there, and would cost their
/// square.
inline constexpr std::size_t kMostProbes = 1024;
/// Thrown where a table would need more; Tokenizer::from_metadata makes it an Error.
struct CrowdedTable {};

/// Numbered strings with an open-addressing index over some of them. One lookup is one hash of the
/// bytes and, nearly always, one comparison; nothing is allocated.
///
/// Thread safety: immutable once filled; any thread may call the const functions.
class StringTable {
 public:
  static constexpr std::int32_t kNone = -1;

  void reserve(std::size_t count, std::size_t bytes);
  /// Appends a string; its number is the number of those before. At most 2^31 - 1 strings and 2^32
  /// - 1 bytes in all (the caller checks).
  void add(std::string_view text);
  /// Makes string `number` findable, unless it is empty or an equal one already is. Throws
  /// CrowdedTable.
  void index(std::int32_t number);

  std::size_t size() const noexcept { return ends_.size(); }
  std::string_view operator[](std::size_t number) const noexcept {
    const std::size_t begin = number == 0 ? 0 : ends_[number - 1];
    return std::string_view(bytes_).substr(begin, ends_[number] - begin);
  }
  /// The number of an indexed string with these bytes, or kNone.
  std::int32_t find(std::string_view text) const noexcept;
  /// Length of the longest indexed string.
  std::size_t longest() const noexcept { return longest_; }

 private:
  struct Slot {
    std::uint32_t hash = 0;
    std::int32_t number = kNone;
  };
  void grow();
  void place(Slot slot);

  std::string bytes_;
  std::vector<std::uint32_t> ends_;
  std::vector<Slot> slots_;  // a power of two of them, at most half full
  std::size_t used_ = 0;
  std::size_t longest_ = 0;
};

}  // namespace lore::engine
