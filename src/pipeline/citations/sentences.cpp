#include "pipeline/citations/sentences.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "base/utf8.hpp"
#include "pipeline/citations/fold.hpp"

namespace lore::pipeline::citations {
namespace {

using Text = std::vector<char32_t>;

bool is_blank(char32_t c) {
  return c == U' ' || c == U'\t' || c == U'\u00A0' || c == U'\u3000' || c == U'\u2009' ||
         c == U'\u202F';
}
bool is_line_end(char32_t c) { return c == U'\n' || c == U'\r' || c == U'\f' || c == U'\u2028'; }
bool is_space(char32_t c) { return is_blank(c) || is_line_end(c); }

/// Ends a sentence whatever follows.
bool is_full_stop(char32_t c) {
  return c == U'\u3002' || c == U'\uFF01' || c == U'\uFF1F' || c == U'\uFF0E' || c == U'\u0964' ||
         c == U'\u061F' || c == U'\uFF61';
}
bool is_stop(char32_t c) { return c == U'.' || c == U'!' || c == U'?' || c == U'\u2026'; }
/// Belongs to the sentence before it.
bool is_closing(char32_t c) {
  return c == U'"' || c == U'\'' || c == U')' || c == U']' || c == U'\u201D' || c == U'\u2019' ||
         c == U'\u00BB' || c == U'\u300D' || c == U'\u300F' || c == U'\uFF09' || c == U'\u201C';
}
bool is_bullet(char32_t c) {
  return c == U'\u2022' || c == U'\u25CF' || c == U'\u25AA' || c == U'\u2013' || c == U'-' ||
         c == U'*' || c == U'\u2014' || c == U'\u00B7' || c == U'\u2023' || c == U'#' || c == U'|';
}

bool is_abbreviation(std::u32string_view word) {
  constexpr std::array<std::u32string_view, 56> kWords = {
      U"e.g",  U"i.e", U"approx", U"fig", U"figs", U"no",   U"nos", U"nr",  U"vol",  U"dr",
      U"mr",   U"mrs", U"ms",     U"st",  U"vs",   U"ca",   U"bzw", U"z.b", U"d.h",  U"u.a",
      U"abb",  U"tab", U"s",      U"p",   U"pp",   U"sec",  U"max", U"min", U"incl", U"inkl",
      U"excl", U"cf",  U"al",     U"eq",  U"ed",   U"prof", U"inc", U"ltd", U"co",   U"art",
      U"kap",  U"ch",  U"vgl",    U"ggf", U"evtl", U"u.u",  U"o.g", U"usw", U"resp", U"temp",
      U"ref",  U"rev", U"str",    U"tel", U"mio",  U"mrd"};
  return std::find(kWords.begin(), kWords.end(), word) != kWords.end();
}

bool is_month(std::u32string_view word) {
  constexpr std::array<std::u32string_view, 13> kMonths = {
      U"januar", U"februar", U"marz",      U"m\u00E4rz", U"april",    U"mai",     U"juni",
      U"juli",   U"august",  U"september", U"oktober",   U"november", U"dezember"};
  return std::find(kMonths.begin(), kMonths.end(), word) != kMonths.end();
}

char32_t lower_ascii(char32_t c) { return c >= U'A' && c <= U'Z' ? c + 32 : c; }

class Splitter {
 public:
  Splitter(const Text& text, LineEnds line_ends) : text_(text), line_ends_(line_ends) {}

  std::vector<TextSpan> run() {
    std::size_t begin = 0;
    for (std::size_t i = 0; i < text_.size(); ++i) {
      if (is_line_end(text_[i])) {
        if (breaks_line(i)) {
          add(begin, i);
          begin = i + 1;
        }
        continue;
      }
      if (!ends_sentence(i)) continue;
      std::size_t end = i + 1;
      while (end < text_.size() && (is_closing(text_[end]) || is_stop(text_[end]))) ++end;
      add(begin, end);
      begin = end;
      i = end - 1;
    }
    add(begin, text_.size());
    return std::move(spans_);
  }

 private:
  char32_t at(std::size_t i) const { return i < text_.size() ? text_[i] : U'\n'; }

  void add(std::size_t begin, std::size_t end) {
    while (begin < end && is_space(text_[begin])) ++begin;
    while (end > begin && is_space(text_[end - 1])) --end;
    if (begin < end) spans_.push_back({begin, end});
  }

  bool ends_sentence(std::size_t i) const {
    const char32_t c = text_[i];
    if (is_full_stop(c)) return true;
    if (!is_stop(c)) return false;
    std::size_t next = i + 1;
    while (is_closing(at(next)) || is_stop(at(next))) ++next;
    if (!is_space(at(next)) && !is_unspaced(at(next))) return false;
    return c != U'.' || !continues(i, next);
  }

  /// Whether the full stop at `stop` belongs to an abbreviation, an initial or an ordinal.
  bool continues(std::size_t stop, std::size_t next) const {
    while (next < text_.size() && is_space(text_[next])) ++next;
    std::size_t begin = stop;
    while (begin > 0 && !is_space(text_[begin - 1]) && text_[begin - 1] != U'(') --begin;
    std::u32string word;
    for (std::size_t i = begin; i < stop; ++i) word += lower_ascii(text_[i]);
    if (word.empty() || next >= text_.size()) return false;
    const bool lower_follows =
        is_letter(text_[next]) && !is_upper(text_[next]) && !is_unspaced(text_[next]);
    if (lower_follows) return true;
    const bool number = std::all_of(word.begin(), word.end(), is_digit);
    if (number) return word.size() <= 2 && (starts_line(begin) || is_month(word_at(next)));
    return is_initial(begin, stop) || is_abbreviation(word);
  }

  /// "J. Smith", but not the letter of "node A.", which stands behind a small word.
  bool is_initial(std::size_t begin, std::size_t stop) const {
    if (stop - begin != 1 || !is_upper(text_[begin])) return false;
    std::size_t end = begin;
    while (end > 0 && is_space(text_[end - 1])) --end;
    std::size_t word = end;
    while (word > 0 && !is_space(text_[word - 1])) --word;
    return word == end || is_upper(text_[word]) || text_[end - 1] == U'.';
  }

  bool starts_line(std::size_t i) const {
    while (i > 0 && is_blank(text_[i - 1])) --i;
    return i == 0 || is_line_end(text_[i - 1]);
  }

  std::u32string word_at(std::size_t i) const {
    std::u32string word;
    for (; i < text_.size() && is_letter(text_[i]); ++i) word += lower_ascii(text_[i]);
    return word;
  }

  struct Line {
    std::size_t begin;
    std::size_t end;
    std::size_t size() const { return end - begin; }
  };

  Line line_before(std::size_t line_end) const {
    std::size_t begin = line_end;
    while (begin > 0 && !is_line_end(text_[begin - 1])) --begin;
    return {begin, line_end};
  }

  Line line_after(std::size_t line_end) const {
    const std::size_t begin = line_end + 1;
    std::size_t end = begin;
    while (end < text_.size() && !is_line_end(text_[end])) ++end;
    return {std::min(begin, text_.size()), end};
  }

  bool is_empty(const Line& line) const {
    return std::all_of(text_.begin() + static_cast<std::ptrdiff_t>(line.begin),
                       text_.begin() + static_cast<std::ptrdiff_t>(line.end), is_blank);
  }

  /// Two blanks or a tab inside: columns of a table.
  bool has_columns(const Line& line) const {
    std::size_t begin = line.begin;
    while (begin < line.end && is_blank(text_[begin])) ++begin;
    for (std::size_t i = begin; i + 1 < line.end; ++i) {
      if (text_[i] == U'\t' || text_[i] == U'|') return true;
      if (is_blank(text_[i]) && is_blank(text_[i + 1])) return true;
    }
    return false;
  }

  /// Its first word has a digit, as a table's rows of codes, dates or sizes have.
  bool starts_with_figure(const Line& line) const {
    std::size_t i = line.begin;
    while (i < line.end && is_blank(text_[i])) ++i;
    for (; i < line.end && !is_blank(text_[i]); ++i) {
      if (is_digit(text_[i])) return true;
    }
    return false;
  }

  bool starts_item(const Line& line) const {
    std::size_t i = line.begin;
    while (i < line.end && is_blank(text_[i])) ++i;
    if (i >= line.end) return true;
    if (is_bullet(text_[i])) return i + 1 >= line.end || !is_digit(at(i + 1));
    std::size_t digits = i;
    while (digits < line.end && is_digit(text_[digits])) ++digits;
    return digits > i && digits - i <= 2 && (at(digits) == U'.' || at(digits) == U')') &&
           is_blank(at(digits + 1));
  }

  /// The longest line of the paragraph that the line belongs to.
  std::size_t paragraph_width(const Line& line) const {
    constexpr std::size_t kFarthest = 6;  // lines each way are enough to see the width
    std::size_t width = line.size();
    Line here = line;
    for (std::size_t i = 0; i < kFarthest && here.begin > 0; ++i) {
      here = line_before(here.begin - 1);
      if (is_empty(here)) break;
      width = std::max(width, here.size());
    }
    here = line;
    for (std::size_t i = 0; i < kFarthest && here.end < text_.size(); ++i) {
      here = line_after(here.end);
      if (is_empty(here)) break;
      width = std::max(width, here.size());
    }
    return width;
  }

  /// Whether the line that ends at `i` is complete: a row, an item, a heading, a paragraph's last.
  bool breaks_line(std::size_t i) const {
    constexpr std::size_t kNarrow = 35;  // narrower paragraphs are lists or tables
    if (line_ends_ == LineEnds::hard || text_[i] == U'\f') return true;
    if (text_[i] == U'\r' && at(i + 1) == U'\n') return false;  // its second half decides
    const std::size_t end = i > 0 && text_[i] == U'\n' && text_[i - 1] == U'\r' ? i - 1 : i;
    const Line before = line_before(end);
    const Line after = line_after(i);
    if (is_empty(before) || is_empty(after)) return true;
    if (has_columns(before) || has_columns(after) || starts_item(after)) return true;
    if (starts_with_figure(before) && starts_with_figure(after)) return true;
    const char32_t last = text_[before.end - 1];
    if (last == U'-' || last == U'\u00AD' || last == U',') return false;
    if (line_ends_ == LineEnds::joined) return false;
    const std::size_t width = paragraph_width(before);
    std::size_t first = after.begin;
    while (first < after.end && is_blank(text_[first])) ++first;
    if (is_letter(at(first)) && !is_upper(at(first)) && !is_unspaced(at(first))) return false;
    const bool unspaced = is_unspaced(last) || is_unspaced(at(first));
    return width < (unspaced ? kNarrow / 3 : kNarrow) || before.size() * 10 < width * 6;
  }

  const Text& text_;
  LineEnds line_ends_;
  std::vector<TextSpan> spans_;
};

}  // namespace

std::vector<TextSpan> find_sentences(const std::vector<char32_t>& text, LineEnds line_ends) {
  return Splitter(text, line_ends).run();
}

}  // namespace lore::pipeline::citations

namespace lore::pipeline {

std::vector<TextSpan> split_sentences(std::string_view text) {
  return citations::find_sentences(utf8::decode(text), citations::LineEnds::guessed);
}

}  // namespace lore::pipeline
