#include "pipeline/citations/tokens.hpp"

#include <algorithm>
#include <utility>

#include "base/utf8.hpp"

namespace lore::pipeline::citations {
namespace {

bool is_word_character(char32_t c) {
  return (is_letter(c) && !is_unspaced(c)) || is_digit(c) || c == U'_';
}

/// The value of a Chinese numeral, -1 for other characters.
int numeral(char32_t c) {
  constexpr std::u32string_view kDigits =
      U"\u96F6\u4E00\u4E8C\u4E09\u56DB\u4E94\u516D\u4E03\u516B\u4E5D\u5341";
  if (c == U'\u4E24') return 2;  // 两
  const std::size_t found = kDigits.find(c);
  return found == std::u32string_view::npos ? -1 : static_cast<int>(found);
}

/// The number of a run of numerals: 二十五 is 25, 十二 is 12, 二五 is 25.
std::string numeral_value(const std::vector<char32_t>& text, std::size_t begin, std::size_t end) {
  std::string positional;
  long total = 0;
  long digit = 0;
  bool ten = false;
  for (std::size_t i = begin; i < end; ++i) {
    const int value = numeral(text[i]);
    if (value == 10) {
      total += (digit == 0 ? 1 : digit) * 10;
      digit = 0;
      ten = true;
    } else {
      digit = value;
      positional += std::to_string(value);
    }
  }
  return ten ? std::to_string(total + digit) : positional;
}

class Tokenizer {
 public:
  explicit Tokenizer(std::string_view text) : folded_(fold(text)) {}

  std::vector<Token> run() {
    while (position_ < size()) step();
    for (std::size_t i = 0; i + 1 < tokens_.size(); ++i) {
      tokens_[i].figure.counts =
          tokens_[i + 1].kind == TokenKind::content && follows_at_once(tokens_[i], tokens_[i + 1]);
    }
    mark_rejected();
    mark_span_ends();
    order_readings();
    return std::move(tokens_);
  }

 private:
  /// Whether nothing parts the two: more than one blank or a tab part columns, and a line that
  /// begins with a capital is a new row.
  bool follows_at_once(const Token& token, const Token& next) const {
    if (next.start > token.end + 1) return false;
    const char32_t between = next.start > token.end ? folded_.original[token.end] : U' ';
    return between != U'\t' && (between != U'\n' || !next.capital);
  }

  /// The figure behind "instead of", "rather than", "statt" is not the one that holds.
  void mark_rejected() {
    for (std::size_t i = 0; i + 1 < tokens_.size(); ++i) {
      if (!is_rejection(tokens_[i].text)) continue;
      std::size_t next = i + 1;
      while (next < tokens_.size() && tokens_[next].kind == TokenKind::function) ++next;
      if (next < tokens_.size()) tokens_[next].figure.rejected = true;
    }
  }

  /// "from 310 to 335", "von 310 auf 335".
  void mark_span_ends() {
    const auto is = [this](std::size_t i, std::string_view english, std::string_view german) {
      return i < tokens_.size() && (tokens_[i].text == english || tokens_[i].text == german);
    };
    const auto figure_at = [this](std::size_t i) {
      return i < tokens_.size() && tokens_[i].kind == TokenKind::figure;
    };
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (is(i, "to", "auf") && figure_at(i + 1) &&
          tokens_[i + 1].figure.span_end == Figure::End::none) {
        tokens_[i + 1].figure.span_end = Figure::End::to_alone;
      }
      const bool pair =
          is(i, "from", "von") && figure_at(i + 1) && is(i + 2, "to", "auf") && figure_at(i + 3);
      if (!pair) continue;
      tokens_[i + 1].figure.span_end = Figure::End::from;
      tokens_[i + 3].figure.span_end = Figure::End::to;
    }
  }

  /// 1.500 is one and a half in English, 1,500 in German.
  void order_readings() {
    const Language language = language_of(tokens_);
    const char32_t point = language == Language::english  ? U'.'
                           : language == Language::german ? U','
                                                          : U'\0';
    for (Token& token : tokens_) {
      Figure& figure = token.figure;
      if (figure.ambiguous != 0 && figure.ambiguous == point) {
        std::swap(figure.values[0], figure.values[1]);
      }
    }
  }

  std::size_t size() const { return folded_.text.size(); }
  char32_t at(std::size_t i) const { return i < size() ? folded_.text[i] : U'\0'; }
  /// What the text has at the place of a folded character.
  char32_t original(std::size_t i) const { return folded_.original[folded_.origin[i]]; }

  Token& push(TokenKind kind, std::string text, std::size_t begin, std::size_t end) {
    Token token;
    token.kind = kind;
    token.text = std::move(text);
    token.start = folded_.origin[begin];
    token.end = folded_.origin[end - 1] + 1;
    tokens_.push_back(std::move(token));
    return tokens_.back();
  }

  void step() {
    const char32_t c = at(position_);
    if (is_digit(c) || is_word_character(c)) return read_word();
    if (is_unspaced(c)) return read_unspaced();
    if (c == U'.' && is_digit(at(position_ + 1)) && !is_word_character(at(position_ - 1))) {
      ++position_;  // ".5": read as 5 with its point lost would be wrong, so read 0.5
      return read_bare_fraction();
    }
    if ((c == U'<' || c == U'>' || c == U'\u2264' || c == U'\u2265') && bounds_number(position_)) {
      const bool less = c == U'<' || c == U'\u2264';
      push(TokenKind::function, less ? "<" : ">", position_, position_ + 1);
    }
    if (c == U',' || c == U';' || c == U'(' || c == U')' || c == U'\u3001' || c == U'\u3002') {
      push(TokenKind::boundary, c == U';' ? ";" : ",", position_, position_ + 1);
    }
    ++position_;
  }

  /// Whether the sign at `i` stands before a number: "> 5 bar", "<= -5".
  bool bounds_number(std::size_t i) const {
    ++i;
    while (at(i) == U'=' || at(i) == U' ' || at(i) == U'-') ++i;
    return is_digit(at(i));
  }

  void read_bare_fraction() {
    FoundFigure found = read_number(folded_, position_);
    std::string digits;
    for (std::size_t i = position_; is_digit(at(i)); ++i) digits += static_cast<char>(at(i));
    found.figure.values = {normal_number("0", digits)};
    found.figure.ambiguous = 0;
    found.figure.parts.clear();
    add_figure(std::move(found), position_ - 1);
  }

  void add_figure(FoundFigure found, std::size_t begin) {
    push(TokenKind::figure, found.figure.values[0], begin, found.end).figure =
        std::move(found.figure);
    position_ = found.end;
  }

  /// The end of the letters and digits at `begin`, with what joins them inside a word.
  std::size_t word_end(std::size_t begin) const {
    std::size_t end = begin;
    while (end < size()) {
      const char32_t c = at(end);
      const bool joins = c == U'\'' || c == kLineHyphen;
      if (!is_word_character(c) && !(joins && is_word_character(at(end + 1)))) break;
      ++end;
    }
    return end;
  }

  bool has_digit(std::size_t begin, std::size_t end) const {
    return std::any_of(folded_.text.begin() + static_cast<std::ptrdiff_t>(begin),
                       folded_.text.begin() + static_cast<std::ptrdiff_t>(end), is_digit);
  }

  void read_word() {
    const std::size_t begin = position_;
    std::size_t end = word_end(begin);
    if (is_digit(at(begin))) {
      FoundFigure found = read_number(folded_, begin);
      // "3d", "2x": digits with letters behind them that are no unit are a code.
      const bool trailing =
          found.end < end && is_word_character(at(found.end)) && !is_digit(at(found.end));
      if (!trailing) return add_figure(std::move(found), begin);
      return add_code(begin, end);
    }
    if (const std::size_t code_end = hyphenated_code(begin, end)) end = code_end;
    if (has_digit(begin, end)) return add_code(begin, end);
    position_ = end;
    add_word(begin, end);
  }

  void add_code(std::size_t begin, std::size_t end) {
    Figure figure = make_code(folded_, begin, end);
    push(TokenKind::figure, figure.values[0], begin, end).figure = std::move(figure);
    position_ = end;
  }

  /// "E-14", "XR-200B": a short word in capitals, a hyphen, and digits. 0 for anything else.
  std::size_t hyphenated_code(std::size_t begin, std::size_t end) const {
    if (end - begin > 5 || at(end) != U'-' || !is_digit(at(end + 1))) return 0;
    for (std::size_t i = begin; i < end; ++i) {
      if (!is_upper(original(i)) && !is_digit(at(i))) return 0;
    }
    return word_end(end + 1);
  }

  /// "Type A", "Pump B": a single capital letter behind a word tells things apart as a code does.
  bool is_letter_code(std::size_t begin, std::size_t end) const {
    return end - begin == 1 && at(begin) < 0x80 && at(begin) != U'i' && !tokens_.empty() &&
           tokens_.back().kind == TokenKind::content && is_upper(original(begin));
  }

  /// "May" is the month beside a number, and within a sentence, where the verb has no capital.
  bool is_month_of_may(std::string_view word, std::size_t begin, std::size_t end) const {
    if (word != "may" || !is_upper(original(begin))) return false;
    std::size_t before = begin;
    while (before > 0 && (at(before - 1) == U' ' || at(before - 1) == U'\n')) --before;
    std::size_t after = end;
    while (at(after) == U' ' || at(after) == U',') ++after;
    if (is_digit(at(after)) || (before > 0 && is_digit(at(before - 1)))) return true;
    return !is_upper(original(end - 1)) && before > 0 &&
           (is_letter(at(before - 1)) || at(before - 1) == U',');
  }

  /// "the WHO", "the US", "IT": a function word in capitals, in a line that has small letters too,
  /// is a name, if it is none of those that are set in capitals for weight ("switch ON").
  bool is_name(std::string_view word, std::size_t begin, std::size_t end) const {
    if (end - begin < 2 || is_emphasized(word)) return false;
    for (std::size_t i = begin; i < end; ++i) {
      if (!is_upper(original(i))) return false;
    }
    const auto is_small = [this](std::size_t i) {
      return is_letter(at(i)) && !is_upper(original(i));
    };
    for (std::size_t i = begin; i > 0 && at(i - 1) != U'\n'; --i) {
      if (is_small(i - 1)) return true;
    }
    for (std::size_t i = end; i < size() && at(i) != U'\n'; ++i) {
      if (is_small(i)) return true;
    }
    return false;
  }

  void add_word(std::size_t begin, std::size_t end) {
    std::string word;
    std::string parts;  // with a blank where the line broke
    bool broken = false;
    for (std::size_t i = begin; i < end; ++i) {
      if (at(i) == kLineHyphen) {
        parts += ' ';
        broken = true;
        continue;
      }
      utf8::append(word, at(i));
      utf8::append(parts, at(i));
    }
    if (is_letter_code(begin, end)) return add_code(begin, end);
    if (is_negation(word)) {
      push(TokenKind::negation, word, begin, end);
      return;
    }
    if (const int number = number_word(word); number >= 0) {
      return add_figure(make_counted(folded_, begin, end, std::to_string(number)), begin);
    }
    if (is_month_of_may(word, begin, end)) word = "mai";
    const bool name = is_name(word, begin, end);
    if (!name && is_conjunction(word)) {
      push(TokenKind::boundary, word, begin, end);
      return;
    }
    if (!name && is_function_word(word)) {
      push(TokenKind::function, word, begin, end);
      return;
    }
    Token& token = push(TokenKind::content, stem(word), begin, end);
    token.capital = is_upper(original(begin));
    if (broken) token.other = std::move(parts);
  }

  /// A run of characters without spaces: each pair of neighbours is a word.
  void read_unspaced() {
    const std::size_t begin = position_;
    std::size_t numerals = begin;
    while (numeral(at(numerals)) >= 0) ++numerals;
    if (numerals > begin && counts(begin, numerals)) {
      return add_figure(
          make_counted(folded_, begin, numerals, numeral_value(folded_.text, begin, numerals)),
          begin);
    }
    const char32_t c = at(begin);
    ++position_;
    std::string text;
    utf8::append(text, c);
    if (is_negation(c)) {
      push(TokenKind::negation, text, begin, begin + 1);
      return;
    }
    if (is_function_character(c)) {
      push(TokenKind::function, text, begin, begin + 1);
      return;
    }
    const char32_t next = at(begin + 1);
    const bool pairs = is_unspaced(next) && !is_function_character(next) && !is_negation(next);
    const bool alone = begin == 0 || !is_unspaced(at(begin - 1)) ||
                       is_function_character(at(begin - 1)) || is_negation(at(begin - 1));
    if (pairs) {
      utf8::append(text, next);
      push(TokenKind::content, text, begin, begin + 2);
    } else if (alone) {
      push(TokenKind::content, text, begin, begin + 1);
    }
  }

  /// Whether the numerals count something: several with a ten among them, or a unit behind them.
  bool counts(std::size_t begin, std::size_t end) const {
    if (!read_unit(folded_, end).name.empty()) return true;
    constexpr std::u32string_view kMeasures =
        U"\u4E2A\u6B21\u53F0\u53EA\u7EA7\u500D\u9879\u9875"
        U"\u6761\u4EF6\u540D\u4F4D\u7AE0\u5C42";
    const bool one = end - begin == 1 && at(begin) == U'\u4E00';  // 一个 is "a"
    if (!one && kMeasures.find(at(end)) != std::u32string_view::npos) return true;
    const bool ten = std::any_of(folded_.text.begin() + static_cast<std::ptrdiff_t>(begin),
                                 folded_.text.begin() + static_cast<std::ptrdiff_t>(end),
                                 [](char32_t c) { return c == U'\u5341'; });
    return ten && end - begin >= 2;
  }

  Folded folded_;
  std::size_t position_ = 0;
  std::vector<Token> tokens_;
};

}  // namespace

Language language_of(std::span<const Token> tokens) {
  int balance = 0;  // of German words over English ones
  for (const Token& token : tokens) {
    if (token.kind != TokenKind::function) continue;
    const Language language = language_of(token.text);
    balance += language == Language::german ? 1 : language == Language::english ? -1 : 0;
  }
  return balance > 0 ? Language::german : balance < 0 ? Language::english : Language::unknown;
}

std::vector<Token> tokenize(std::string_view text) { return Tokenizer(text).run(); }

bool same_word(std::string_view first, std::string_view second) {
  if (first == second) return true;
  if (first.size() > second.size()) std::swap(first, second);
  return first.size() >= 5 && static_cast<unsigned char>(first[0]) < 0x80 &&
         second.substr(0, first.size()) == first && is_derivation(second.substr(first.size()));
}

bool matches_word(const Token& page_token, std::string_view word) {
  if (page_token.kind != TokenKind::content) return false;
  if (same_word(page_token.text, word)) return true;
  std::string_view parts = page_token.other;
  while (!parts.empty()) {
    const std::size_t blank = std::min(parts.find(' '), parts.size());
    if (same_word(stem(parts.substr(0, blank)), word)) return true;
    parts.remove_prefix(std::min(blank + 1, parts.size()));
  }
  return false;
}

}  // namespace lore::pipeline::citations
