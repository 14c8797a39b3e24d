#include "engine/tokenizer/normalize.hpp"

#include <utf8proc.h>

#include <algorithm>
#include <array>

#include "base/utf8.hpp"
#include "engine/tokenizer/unicode.hpp"

namespace lore::engine {
namespace {

using unicode::CharacterClass;

struct Range {
  char32_t first;
  char32_t last;
};

template <std::size_t size>
constexpr bool is_in(const std::array<Range, size>& ranges, char32_t c) noexcept {
  for (const Range& range : ranges) {  // sorted
    if (c < range.first) return false;
    if (c <= range.last) return true;
  }
  return false;
}

/// Stretches that hold all punctuation, nonspacing marks and format characters that came after
/// Unicode 8, and none of those before: BERT's normalizer does not know them. Found by comparing
/// every code point with Hugging Face tokenizers 0.23.
constexpr std::array kAfterUnicode8 = {
    Range{0x061D, 0x061D},   Range{0x07FD, 0x07FD},   Range{0x0890, 0x08E2},
    Range{0x09FD, 0x09FE},   Range{0x0A76, 0x0A76},   Range{0x0AFA, 0x0AFF},
    Range{0x0B55, 0x0B55},   Range{0x0C04, 0x0C3C},   Range{0x0C77, 0x0C77},
    Range{0x0C84, 0x0C84},   Range{0x0D00, 0x0D00},   Range{0x0D3B, 0x0D3C},
    Range{0x0D81, 0x0D81},   Range{0x0EBA, 0x0EBA},   Range{0x0ECE, 0x0ECE},
    Range{0x180F, 0x1886},   Range{0x1ABF, 0x1ACE},   Range{0x1B7D, 0x1B7E},
    Range{0x1DF6, 0x1DFB},   Range{0x2E43, 0x2E5D},   Range{0xA82C, 0xA82C},
    Range{0xA8C5, 0xA8C5},   Range{0xA8FF, 0xA8FF},   Range{0xA9BD, 0xA9BD},
    Range{0x10D24, 0x10F89}, Range{0x11070, 0x11074}, Range{0x110C2, 0x110CD},
    Range{0x111CF, 0x111CF}, Range{0x1123E, 0x11241}, Range{0x1133B, 0x1133B},
    Range{0x11438, 0x1145E}, Range{0x11660, 0x1166C}, Range{0x116B9, 0x116B9},
    Range{0x1182F, 0x11FFF}, Range{0x12FF1, 0x13455}, Range{0x16E97, 0x16F4F},
    Range{0x16FE2, 0x16FE4}, Range{0x1CF00, 0x1CF46}, Range{0x1E000, 0x1E4EF},
    Range{0x1E944, 0x1E95F},
};

/// The ideographs of BERT; 2B820 to 2B91F are missing there too.
constexpr std::array kIdeographs = {
    Range{0x3400, 0x4DBF},   Range{0x4E00, 0x9FFF},   Range{0xF900, 0xFAFF},
    Range{0x20000, 0x2A6DF}, Range{0x2A700, 0x2B73F}, Range{0x2B740, 0x2B81F},
    Range{0x2B920, 0x2CEAF}, Range{0x2F800, 0x2FA1F},
};

utf8proc_category_t category_of(char32_t c) noexcept {
  return utf8proc_category(static_cast<utf8proc_int32_t>(c));
}

bool is_dropped(char32_t c) noexcept {
  if (c < 0x80) return (c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7F;
  if (c == utf8::kReplacement) return true;
  switch (category_of(c)) {
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CO:
      return true;
    case UTF8PROC_CATEGORY_CF:
      return !is_in(kAfterUnicode8, c);
    default:
      return false;
  }
}

bool is_accent(char32_t c) noexcept {
  if (c < 0x300) return false;
  if (c == 0x1734) return true;    // a nonspacing mark until Unicode 14
  if (c == 0x111C9) return false;  // punctuation until Unicode 11
  return category_of(c) == UTF8PROC_CATEGORY_MN && !is_in(kAfterUnicode8, c);
}

bool is_punctuation(char32_t c) noexcept {
  const CharacterClass kind = unicode::class_of(c);
  if (c < 0x80) return kind == CharacterClass::punctuation || kind == CharacterClass::symbol;
  if (c == 0x166D || c == 0x111C9) return true;  // they were until Unicode 11
  return kind == CharacterClass::punctuation && !is_in(kAfterUnicode8, c);
}

int combining_class(char32_t c) noexcept {
  return c < 0x300 ? 0 : utf8proc_get_property(static_cast<utf8proc_int32_t>(c))->combining_class;
}

/// What the search for the end of a stretch does at a byte.
enum class AtByte : std::uint8_t { go_on, stop, perhaps_ideograph };

constexpr auto kAtBytes = [] {
  std::array<AtByte, 256> table{};
  for (std::size_t i = 0; i < table.size(); ++i) {
    const bool stop = kBertBytes[i] == BertByte::space || kBertBytes[i] == BertByte::punctuation;
    table[i] = stop                     ? AtByte::stop
               : i >= 0xE4 && i <= 0xE9 ? AtByte::perhaps_ideograph
                                        : AtByte::go_on;
  }
  return table;
}();

/// One of U+4E00 to U+9FFF, three bytes.
bool is_frequent_ideograph(std::string_view text, std::size_t at) noexcept {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
  return byte(0) >= 0xE4 && byte(0) <= 0xE9 && text.size() - at >= 3 &&
         (byte(1) & 0xC0U) == 0x80U && (byte(2) & 0xC0U) == 0x80U &&
         (byte(0) != 0xE4 || byte(1) >= 0xB8);
}

void append(BertWord& word, char32_t c, std::size_t begin, std::size_t end) {
  word.characters.push_back({static_cast<std::uint32_t>(word.bytes.size()), begin, end});
  utf8::append(word.bytes, c);
}

}  // namespace

std::size_t bert_stretch_end(std::string_view text, std::size_t begin) noexcept {
  if (is_frequent_ideograph(text, begin)) return begin + 3;
  std::size_t at = begin + 1;
  for (;; ++at) {
    while (at < text.size() && kAtBytes[static_cast<unsigned char>(text[at])] == AtByte::go_on) {
      ++at;
    }
    if (at >= text.size()) return at;
    if (kAtBytes[static_cast<unsigned char>(text[at])] == AtByte::stop) return at;
    if (is_frequent_ideograph(text, at)) return at;
  }
}

bool BertWords::next(BertWord& word) {
  word.clear();
  for (;;) {
    if (used_ < pieces_.size()) {
      next_unicode(word);
      return true;
    }
    if (offset_ >= text_.size()) return false;
    if (!next_ascii(word)) {
      fill();
    } else if (!word.bytes.empty()) {
      return true;
    }
  }
}

/// Most of a text is plain English words: a table look-up a byte. False, with nothing read, where
/// the next word holds other characters; true with an empty word at the end of the text.
bool BertWords::next_ascii(BertWord& word) {
  std::size_t at = offset_;
  for (; at < text_.size(); ++at) {
    const auto byte = static_cast<unsigned char>(text_[at]);
    if (byte >= 0x80) {
      word.clear();
      return false;
    }
    const BertByte kind = kBertBytes[byte];
    if (kind == BertByte::dropped) continue;
    if (kind == BertByte::space || kind == BertByte::punctuation) {
      if (!word.bytes.empty()) break;
      offset_ = at + 1;
      if (kind == BertByte::space) continue;
      append(word, byte, at, at + 1);
      return true;
    }
    const bool upper = byte >= 'A' && byte <= 'Z' && options_.lowercase;
    word.characters.push_back({static_cast<std::uint32_t>(word.bytes.size()), at, at + 1});
    word.bytes.push_back(static_cast<char>(upper ? byte + ('a' - 'A') : byte));
  }
  offset_ = at;
  return true;
}

/// Normalizes the characters up to the next white space, or up to a character that is a word of its
/// own, into pieces_.
void BertWords::fill() {
  pieces_.clear();
  used_ = 0;
  while (offset_ < text_.size()) {
    const std::size_t begin = offset_;
    const char32_t c = utf8::next(text_, offset_);
    if (is_dropped(c)) continue;
    if (unicode::class_of(c) == CharacterClass::space) {
      if (pieces_.empty()) continue;
      break;
    }
    add(c, begin, offset_);
    if (pieces_.empty()) continue;
    if (pieces_.back().alone || (c < 0x80 && is_punctuation(c))) break;
  }
  if (options_.strip_accents) {
    reorder_marks();
    std::erase_if(pieces_, [](const Piece& piece) { return is_accent(piece.code_point); });
  }
  if (options_.lowercase) fold();
}

void BertWords::add(char32_t c, std::size_t begin, std::size_t end) {
  const bool alone = is_in(kIdeographs, c);
  if (!options_.strip_accents || c < 0x80) {
    pieces_.push_back({c, alone, begin, end});
    return;
  }
  std::array<utf8proc_int32_t, 32> parts{};  // a canonical decomposition has four at most
  int boundary = 0;
  const utf8proc_ssize_t count = utf8proc_decompose_char(
      static_cast<utf8proc_int32_t>(c), parts.data(), parts.size(), UTF8PROC_DECOMPOSE, &boundary);
  for (utf8proc_ssize_t i = 0; i < count; ++i) {
    pieces_.push_back(
        {static_cast<char32_t>(parts[static_cast<std::size_t>(i)]), alone, begin, end});
  }
}

/// Canonical ordering: marks after one base character sorted by combining class, stably.
void BertWords::reorder_marks() {
  for (auto run = pieces_.begin(); run != pieces_.end();) {
    if (combining_class(run->code_point) == 0) {
      ++run;
      continue;
    }
    const auto end = std::find_if(run, pieces_.end(), [](const Piece& piece) {
      return combining_class(piece.code_point) == 0;
    });
    std::stable_sort(run, end, [](const Piece& a, const Piece& b) {
      return combining_class(a.code_point) < combining_class(b.code_point);
    });
    run = end;
  }
}

void BertWords::fold() {
  constexpr char32_t kCapitalDottedI = 0x130;  // the one whose lower case is two characters
  folded_.clear();
  for (Piece piece : pieces_) {
    if (piece.code_point == kCapitalDottedI) {
      piece.code_point = U'i';
      folded_.push_back(piece);
      piece.code_point = 0x307;
    } else {
      piece.code_point =
          static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(piece.code_point)));
    }
    folded_.push_back(piece);
  }
  pieces_.swap(folded_);
}

void BertWords::next_unicode(BertWord& word) {
  while (used_ < pieces_.size()) {
    const Piece& piece = pieces_[used_];
    const bool alone = piece.alone || is_punctuation(piece.code_point);
    if (alone && !word.bytes.empty()) return;
    append(word, piece.code_point, piece.begin, piece.end);
    ++used_;
    if (alone) return;
  }
}

}  // namespace lore::engine
