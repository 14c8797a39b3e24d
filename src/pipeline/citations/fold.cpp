#include "pipeline/citations/fold.hpp"

#include <utf8proc.h>

#include <array>

#include "base/utf8.hpp"

namespace lore::pipeline::citations {
namespace {

constexpr char32_t kSoftHyphen = U'\u00AD';

bool is_dash(char32_t c) {
  return c == U'-' || (c >= U'\u2010' && c <= U'\u2015') || c == U'\u2212' || c == U'\uFE63' ||
         c == U'\uFF0D';
}

bool is_apostrophe(char32_t c) { return c == U'\'' || c == U'\u2019' || c == U'\u02BC'; }

bool is_line_end(char32_t c) {
  return c == U'\n' || c == U'\r' || c == U'\f' || c == U'\v' || c == U'\u2028' || c == U'\u2029';
}

bool is_blank(char32_t c) {
  return c == U' ' || c == U'\t' || c == U'\u00A0' || c == U'\u1680' ||
         (c >= U'\u2000' && c <= U'\u200B') || c == U'\u202F' || c == U'\u205F' || c == U'\u3000' ||
         c == U'\uFEFF';
}

bool is_superscript_digit(char32_t c) {
  return c == U'\u00B2' || c == U'\u00B3' || c == U'\u00B9' || (c >= U'\u2070' && c <= U'\u2079');
}

utf8proc_category_t category(char32_t c) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(c));
}

/// Where the text goes on after a hyphen at a line's end; `position` itself where there is none.
std::size_t after_line_break(const std::vector<char32_t>& text, std::size_t position) {
  std::size_t i = position;
  while (i < text.size() && is_blank(text[i])) ++i;
  if (i >= text.size() || !is_line_end(text[i])) return position;
  if (text[i] == U'\r' && i + 1 < text.size() && text[i + 1] == U'\n') ++i;
  ++i;
  while (i < text.size() && is_blank(text[i])) ++i;
  return i < text.size() && is_letter(text[i]) && !is_upper(text[i]) ? i : position;
}

class Folder {
 public:
  explicit Folder(std::string_view text) { result_.original = utf8::decode(text); }

  Folded run() {
    const std::vector<char32_t>& text = result_.original;
    for (std::size_t i = 0; i < text.size();) i = fold_at(i);
    return std::move(result_);
  }

 private:
  void push(char32_t c, std::size_t origin) {
    result_.text.push_back(c);
    result_.origin.push_back(origin);
  }

  /// Folds the code point at `i`; returns the next one to look at.
  std::size_t fold_at(std::size_t i) {
    const std::vector<char32_t>& text = result_.original;
    const char32_t c = text[i];
    const bool after_letter = i > 0 && is_letter(text[i - 1]);
    if (c == kSoftHyphen) return after_line_break(text, i + 1);
    if (is_dash(c)) {
      const std::size_t next = after_letter ? after_line_break(text, i + 1) : i + 1;
      push(next == i + 1 ? U'-' : kLineHyphen, i);
      return next;
    }
    if (is_line_end(c)) {
      push(U'\n', i);
    } else if (is_blank(c)) {
      if (c != U'\u200B' && c != U'\uFEFF') push(U' ', i);
    } else if (is_apostrophe(c)) {
      push(U'\'', i);
    } else {
      push_decomposed(c, i);
    }
    return i + 1;
  }

  void push_decomposed(char32_t c, std::size_t i) {
    // "10²" is not 102; after a letter ("m²") the digit belongs to the unit.
    if (is_superscript_digit(c) && i > 0 && is_digit(result_.original[i - 1])) push(U'^', i);
    std::array<utf8proc_int32_t, 32> parts{};
    int boundary = 0;
    const auto options =
        static_cast<utf8proc_option_t>(UTF8PROC_COMPAT | UTF8PROC_DECOMPOSE | UTF8PROC_CASEFOLD |
                                       UTF8PROC_STRIPMARK | UTF8PROC_IGNORE);
    const utf8proc_ssize_t count =
        utf8proc_decompose_char(static_cast<utf8proc_int32_t>(c), parts.data(),
                                static_cast<utf8proc_ssize_t>(parts.size()), options, &boundary);
    for (utf8proc_ssize_t k = 0; k < count; ++k) {
      const auto part = static_cast<char32_t>(parts[static_cast<std::size_t>(k)]);
      push(part == U'\u2044' ? U'/' : part, i);
    }
  }

  Folded result_;
};

}  // namespace

Folded fold(std::string_view text) { return Folder(text).run(); }

bool is_letter(char32_t c) {
  if (c < 0x80) return (c >= U'a' && c <= U'z') || (c >= U'A' && c <= U'Z');
  const auto kind = category(c);
  return kind >= UTF8PROC_CATEGORY_LU && kind <= UTF8PROC_CATEGORY_LO;
}

bool is_digit(char32_t c) { return c >= U'0' && c <= U'9'; }

bool is_upper(char32_t c) {
  if (c < 0x80) return c >= U'A' && c <= U'Z';
  return category(c) == UTF8PROC_CATEGORY_LU || category(c) == UTF8PROC_CATEGORY_LT;
}

bool is_unspaced(char32_t c) {
  return (c >= 0x3400 && c <= 0x9FFF) || (c >= 0xF900 && c <= 0xFAFF) ||
         (c >= 0x20000 && c <= 0x3FFFF) || (c >= 0x3041 && c <= 0x30FF) || c == 0x3005 ||
         (c >= 0x0E00 && c <= 0x0EFF) || (c >= 0x1000 && c <= 0x109F) ||
         (c >= 0x1780 && c <= 0x17FF);
}

}  // namespace lore::pipeline::citations
