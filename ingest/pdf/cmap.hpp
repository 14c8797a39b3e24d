// CMaps: how the bytes of a string become character codes, and what the codes mean.
//
// Sources: ISO 32000-1, sections 9.7.5 and 9.10.3; Adobe Technical Notes 5014 and 5411.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/function_ref.hpp"

namespace lore::ingest::pdf {

/// A code of a string and the number of bytes that it was read from.
struct CharacterCode {
  std::uint32_t value = 0;
  unsigned bytes = 1;
};

/// An immutable map. Thread safety: any thread may read.
class CMap {
 public:
  /// Finds another map by name (`usecmap`); nullptr where there is none.
  using Find = FunctionRef<const CMap*(std::string_view name)>;

  /// Reads a map from its PostScript-like text. What makes no sense is passed over; the number of
  /// entries is capped, so that no input takes more than some 50 MB.
  static CMap parse(std::string_view bytes, Find find);

  /// Two bytes a code, and the code is the CID (Identity-H, Identity-V).
  static CMap identity(bool vertical);

  /// Reads the code at `at` by the codespace ranges and moves `at`; `at` must be below the size.
  CharacterCode next_code(std::string_view string, std::size_t& at) const noexcept;

  /// The CID of a code; false where the map has none.
  bool cid(CharacterCode code, std::uint32_t& cid) const noexcept;

  /// The text of a code (bfchar, bfrange), empty where the map says that it has none; false where
  /// the map does not know the code.
  bool unicode(CharacterCode code, std::u32string& text) const;

  bool vertical() const noexcept { return vertical_; }
  bool has_unicode() const noexcept { return !texts_.empty(); }
  bool has_codespace() const noexcept { return !codespaces_.empty(); }

 private:
  struct Codespace {
    std::uint32_t low, high;
    unsigned bytes;
  };
  struct CidRange {
    std::uint32_t first, last, cid;
    unsigned bytes;
  };
  struct TextRange {
    std::uint32_t first, last;
    unsigned bytes;
    std::u32string text;  ///< of `first`; the last character counts up
  };
  friend class CMapParser;

  void sort_ranges();

  std::vector<Codespace> codespaces_;
  std::vector<CidRange> cids_;    ///< sorted by (bytes, first); a later definition after an earlier
  std::vector<TextRange> texts_;  ///< the same
  bool vertical_ = false;
};

}  // namespace lore::ingest::pdf
