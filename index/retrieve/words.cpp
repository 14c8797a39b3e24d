#include "index/retrieve/words.hpp"

#include <utf8proc.h>

#include <algorithm>
#include <array>

#include "base/utf8.hpp"

namespace lore::index {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

// Unicode 15 blocks of scripts that part words by no space.
constexpr std::array<Range, 14> kSpaceless = {{
    {0x0E00, 0x0EFF},    // Thai, Lao
    {0x1000, 0x109F},    // Myanmar
    {0x1780, 0x17FF},    // Khmer
    {0x3005, 0x3007},    // ideographic iteration mark, closing mark, zero
    {0x3021, 0x3029},    // Hangzhou numerals
    {0x3040, 0x30FF},    // Hiragana, Katakana
    {0x3100, 0x312F},    // Bopomofo
    {0x31A0, 0x31BF},    // Bopomofo extended
    {0x31F0, 0x31FF},    // Katakana phonetic extensions
    {0x3400, 0x4DBF},    // CJK extension A
    {0x4E00, 0x9FFF},    // CJK unified ideographs
    {0xF900, 0xFAFF},    // CJK compatibility ideographs
    {0xFF66, 0xFF9D},    // half-width Katakana
    {0x20000, 0x3FFFF},  // CJK extensions B and later
}};

bool is_spaceless(char32_t c) {
  if (c < kSpaceless.front().first) return false;
  return std::any_of(kSpaceless.begin(), kSpaceless.end(),
                     [c](const Range& range) { return c >= range.first && c <= range.last; });
}

enum class Kind { separator, letter, digit, mark };

Kind kind_of(char32_t c) {
  if (c < 0x80) {
    if (c >= '0' && c <= '9') return Kind::digit;
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ? Kind::letter : Kind::separator;
  }
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(c))) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_CO:
      return Kind::letter;
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO:
      return Kind::digit;
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
      return Kind::mark;
    default:
      return Kind::separator;
  }
}

// Lower case first, then the base letters of the canonical decomposition.
void append_folded(std::string& out, char32_t c) {
  if (c < 0x80) {
    out += static_cast<char>(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
    return;
  }
  const utf8proc_int32_t lower = utf8proc_tolower(static_cast<utf8proc_int32_t>(c));
  std::array<utf8proc_int32_t, 16> parts{};
  int boundary = 0;
  const utf8proc_ssize_t count =
      utf8proc_decompose_char(lower, parts.data(), static_cast<utf8proc_ssize_t>(parts.size()),
                              UTF8PROC_DECOMPOSE, &boundary);
  if (count <= 0 || count > static_cast<utf8proc_ssize_t>(parts.size())) {
    utf8::append(out, static_cast<char32_t>(lower));
    return;
  }
  for (utf8proc_ssize_t i = 0; i < count; ++i) {
    const auto part = static_cast<char32_t>(parts[static_cast<std::size_t>(i)]);
    if (kind_of(part) != Kind::mark) utf8::append(out, part);
  }
}

}  // namespace

std::vector<Word> split_words(std::string_view text) {
  std::vector<Word> words;
  bool open = false;
  std::size_t separators = 0;  // since the last word
  bool space = false;          // among them
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t begin = i;
    const char32_t c = utf8::next(text, i);
    const bool spaceless = is_spaceless(c);
    Kind kind = kind_of(c);
    // Vowel signs and tone marks are part of such scripts' words; elsewhere a mark follows its
    // letter and is folded away.
    if (spaceless && kind == Kind::mark) kind = Kind::letter;
    if (kind == Kind::separator || (kind == Kind::mark && !open)) {
      open = false;
      ++separators;
      space = space || c <= 0x20 || c == utf8::kReplacement;
      continue;
    }
    if (open && kind != Kind::mark && words.back().spaceless != spaceless) open = false;
    if (!open) {
      Word word;
      word.begin = begin;
      word.spaceless = spaceless;
      word.joined = !words.empty() && separators == 1 && !space;
      words.push_back(std::move(word));
      open = true;
      separators = 0;
      space = false;
    }
    Word& word = words.back();
    word.end = i;
    if (kind == Kind::mark) continue;
    if (spaceless) {
      word.folded.append(text, begin, i - begin);
    } else {
      append_folded(word.folded, c);
    }
    word.has_digit = word.has_digit || kind == Kind::digit;
    ++word.length;
  }
  return words;
}

std::vector<std::string> characters(std::string_view word) {
  std::vector<std::string> result;
  for (std::size_t i = 0; i < word.size();) {
    std::string character;
    utf8::append(character, utf8::next(word, i));
    result.push_back(std::move(character));
  }
  return result;
}

}  // namespace lore::index
