#include "engine/tokenizer/jinja/lexer.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>

#include "base/utf8.hpp"
#include "engine/tokenizer/jinja/error.hpp"
#include "engine/tokenizer/jinja/text.hpp"

namespace lore::engine::jinja {
namespace {

std::string normalized(std::string_view source) {
  std::string text;
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (source[i] != '\r') {
      text += source[i];
      continue;
    }
    text += '\n';
    if (i + 1 < source.size() && source[i + 1] == '\n') ++i;
  }
  if (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

bool is_name_start(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name_part(char c) { return is_name_start(c) || is_digit(c); }
bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

class Lexer {
 public:
  explicit Lexer(std::string source) : source_(std::move(source)) {}

  std::vector<Token> run() {
    while (position_ < source_.size()) read_data();
    push(TokenKind::end, {});
    return std::move(tokens_);
  }

 private:
  void push(TokenKind kind, std::string text) {
    tokens_.push_back(Token{kind, std::move(text), line_});
  }

  char at(std::size_t offset) const {
    return position_ + offset < source_.size() ? source_[position_ + offset] : '\0';
  }

  bool starts_with(std::string_view text) const {
    return std::string_view(source_).substr(position_, text.size()) == text;
  }

  void advance(std::size_t count) {
    const auto begin = source_.begin() + static_cast<std::ptrdiff_t>(position_);
    line_ += static_cast<int>(std::count(begin, begin + static_cast<std::ptrdiff_t>(count), '\n'));
    position_ += count;
  }

  /// The next "{{", "{%" or "{#", or the end.
  std::size_t find_tag() const {
    for (std::size_t i = position_; i + 1 < source_.size(); ++i) {
      if (source_[i] == '{' &&
          (source_[i + 1] == '{' || source_[i + 1] == '%' || source_[i + 1] == '#')) {
        return i;
      }
    }
    return source_.size();
  }

  /// What is left of the data before a tag with this sign after its opening braces.
  std::string_view before_tag(std::string_view data, char kind, char sign) const {
    if (sign == '-') {
      while (!data.empty()) {  // strip from the right, in whole characters
        std::size_t start = data.size() - 1;
        while (start > 0 && (static_cast<unsigned char>(data[start]) & 0xC0U) == 0x80U) --start;
        std::size_t offset = start;
        if (!is_space(utf8::next(data, offset))) break;
        data = data.substr(0, start);
      }
      return data;
    }
    if (sign == '+' || kind == '{') return data;
    const std::size_t newline = data.rfind('\n');
    const bool at_line_start = newline != std::string_view::npos || line_starting_;
    const std::size_t start = newline == std::string_view::npos ? 0 : newline + 1;
    const bool blank =
        std::all_of(data.begin() + static_cast<std::ptrdiff_t>(start), data.end(), is_blank);
    return at_line_start && blank ? data.substr(0, start) : data;
  }

  void read_data() {
    const std::size_t tag = find_tag();
    const std::string_view all = std::string_view(source_).substr(position_, tag - position_);
    std::string_view data = all;
    if (tag < source_.size()) {
      const char sign = tag + 2 < source_.size() ? source_[tag + 2] : '\0';
      data = before_tag(all, source_[tag + 1], sign);
    }
    if (!data.empty()) push(TokenKind::data, std::string(data));
    advance(all.size());
    if (tag < source_.size()) read_tag();
  }

  void read_tag() {
    const char kind = at(1);
    const char sign = at(2);
    if (kind == '#') return read_comment();
    advance(2);
    if (sign == '-' || sign == '+') advance(1);
    if (kind == '%' && read_raw()) return;
    push(kind == '{' ? TokenKind::variable_begin : TokenKind::block_begin, {});
    read_expression(kind == '{' ? "}}" : "%}");
    push(kind == '{' ? TokenKind::variable_end : TokenKind::block_end, {});
  }

  void read_comment() {
    const std::size_t end = source_.find("#}", position_ + 2);
    if (end == std::string::npos) throw syntax_error(line_, "the comment {# … is not closed");
    const char sign = source_[end - 1];
    advance(end - position_);
    finish_tag(sign, true);
  }

  /// Past the two closing characters, and what white space goes with them.
  void finish_tag(char sign, bool trims_newline) {
    advance(2);
    line_starting_ = false;
    if (sign == '-') {
      while (position_ < source_.size()) {
        std::size_t after = position_;
        if (!is_space(utf8::next(source_, after))) break;
        line_starting_ = source_[position_] == '\n';
        advance(after - position_);
      }
    } else if (trims_newline && sign != '+' && at(0) == '\n') {
      advance(1);
      line_starting_ = true;
    }
  }

  /// {% raw %} … {% endraw %}: its inside is data.
  bool read_raw() {
    std::size_t offset = 0;
    while (is_blank(at(offset))) ++offset;
    if (std::string_view(source_).substr(position_ + offset, 3) != "raw") return false;
    offset += 3;
    while (is_blank(at(offset))) ++offset;
    const char sign = at(offset);
    if (sign == '-' || sign == '+') ++offset;
    if (at(offset) != '%' || at(offset + 1) != '}') return false;
    advance(offset);
    finish_tag(sign, true);
    const std::size_t begin = position_;
    for (std::size_t tag = find_tag(); tag < source_.size(); tag = find_tag()) {
      advance(tag - position_);
      std::size_t inner = 2;
      const char open_sign = at(2);
      if (open_sign == '-' || open_sign == '+') ++inner;
      while (is_blank(at(inner))) ++inner;
      if (at(1) != '%' || std::string_view(source_).substr(position_ + inner, 6) != "endraw") {
        advance(2);
        continue;
      }
      const std::string_view data = std::string_view(source_).substr(begin, tag - begin);
      push(TokenKind::data, std::string(before_tag(data, '%', open_sign)));
      inner += 6;
      while (is_blank(at(inner))) ++inner;
      const char close_sign = at(inner);
      if (close_sign == '-' || close_sign == '+') ++inner;
      advance(inner);
      finish_tag(close_sign, true);
      return true;
    }
    throw syntax_error(line_, "the block {% raw %} is not closed");
  }

  void read_expression(std::string_view closing) {
    std::size_t brackets = 0;
    for (;;) {
      while (is_blank(at(0)) && position_ < source_.size()) advance(1);
      if (position_ >= source_.size()) throw syntax_error(line_, "a tag is not closed");
      const char sign = at(0);
      const bool signed_end =
          (sign == '-' || sign == '+') && at(1) == closing[0] && at(2) == closing[1];
      if (brackets == 0 && (signed_end || starts_with(closing))) {
        if (signed_end) advance(1);
        finish_tag(signed_end ? sign : '\0', closing == "%}");
        return;
      }
      if (is_digit(sign)) {
        read_number();
      } else if (is_name_start(sign)) {
        read_name();
      } else if (sign == '\'' || sign == '"') {
        read_string();
      } else {
        read_operation(brackets);
      }
    }
  }

  void read_name() {
    std::size_t length = 1;
    while (is_name_part(at(length))) ++length;
    push(TokenKind::name, source_.substr(position_, length));
    advance(length);
  }

  void read_number() {
    std::string text;
    bool real = false;
    const auto take_digits = [&] {
      while (is_digit(at(0)) || (at(0) == '_' && is_digit(at(1)))) {
        if (at(0) != '_') text += at(0);
        advance(1);
      }
    };
    take_digits();
    if (at(0) == '.' && is_digit(at(1))) {
      real = true;
      text += '.';
      advance(1);
      take_digits();
    }
    const std::size_t sign = at(1) == '-' || at(1) == '+' ? 1 : 0;
    if ((at(0) == 'e' || at(0) == 'E') && is_digit(at(1 + sign))) {
      real = true;
      text += source_.substr(position_, 1 + sign);
      advance(1 + sign);
      take_digits();
    }
    push(real ? TokenKind::real : TokenKind::integer, std::move(text));
  }

  void read_string() {
    const char quote = at(0);
    const int first_line = line_;
    advance(1);
    std::string text;
    while (at(0) != quote) {
      if (position_ >= source_.size()) throw syntax_error(first_line, "a string is not closed");
      if (at(0) == '\\') {
        read_escape(text);
      } else {
        text += at(0);
        advance(1);
      }
    }
    advance(1);
    push(TokenKind::string, std::move(text));
  }

  void read_escape(std::string& text) {
    static constexpr std::string_view kLetters = "\\'\"abfnrtv";
    static constexpr std::string_view kMeanings = "\\'\"\a\b\f\n\r\t\v";
    const char letter = at(1);
    if (const auto known = kLetters.find(letter); known != std::string_view::npos) {
      text += kMeanings[known];
      advance(2);
      return;
    }
    if (letter == '\n') return advance(2);  // a line that goes on
    const std::size_t digits = letter == 'x' ? 2 : letter == 'u' ? 4 : letter == 'U' ? 8 : 0;
    if (digits > 0) {
      const std::string hex = source_.substr(std::min(position_ + 2, source_.size()), digits);
      const bool all_hex = hex.size() == digits && std::all_of(hex.begin(), hex.end(), [](char c) {
                             return std::isxdigit(static_cast<unsigned char>(c)) != 0;
                           });
      if (!all_hex) throw syntax_error(line_, "a string has a broken \\" + std::string(1, letter));
      utf8::append(text, static_cast<char32_t>(std::strtoul(hex.c_str(), nullptr, 16)));
      return advance(2 + digits);
    }
    if (letter >= '0' && letter <= '7') {
      std::size_t length = 1;
      while (length < 3 && at(1 + length) >= '0' && at(1 + length) <= '7') ++length;
      const std::string octal = source_.substr(position_ + 1, length);
      utf8::append(text, static_cast<char32_t>(std::strtoul(octal.c_str(), nullptr, 8)));
      return advance(1 + length);
    }
    text += '\\';
    advance(1);
  }

  void read_operation(std::size_t& brackets) {
    static constexpr std::array<std::string_view, 26> kOperations = {
        "**", "//", "==", "!=", "<=", ">=", "+", "-", "*", "/", "%", "~", "<",
        ">",  "=",  ".",  ",",  ":",  "|",  "(", ")", "[", "]", "{", "}", ";"};
    for (const std::string_view operation : kOperations) {
      if (!starts_with(operation)) continue;
      const char first = operation[0];
      if (first == '(' || first == '[' || first == '{') ++brackets;
      if (first == ')' || first == ']' || first == '}') {
        if (brackets == 0) {
          throw syntax_error(line_, "\"" + std::string(operation) + "\" closes nothing");
        }
        --brackets;
      }
      push(TokenKind::operation, std::string(operation));
      return advance(operation.size());
    }
    throw syntax_error(line_, "the character \"" + std::string(1, at(0)) + "\" is not understood");
  }

  std::string source_;
  std::size_t position_ = 0;
  int line_ = 1;
  bool line_starting_ = true;  // nothing but removed white space stands before on this line
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> tokenize(std::string_view source) { return Lexer(normalized(source)).run(); }

}  // namespace lore::engine::jinja
