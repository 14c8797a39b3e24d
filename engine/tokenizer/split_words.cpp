// The patterns that cut words, numbers, punctuation and white space apart in one pass.
#include "engine/tokenizer/pre_tokenizers.hpp"
#include "engine/tokenizer/unicode.hpp"

namespace lore::engine::split {
namespace {

using unicode::Character;
using unicode::CharacterClass;

/// A place in a stretch of text; characters beyond the end have class none.
class Reader {
 public:
  Reader(std::string_view text, std::size_t begin, std::size_t end)
      : text_(text.substr(0, end)), at_(begin) {}

  std::size_t at() const noexcept { return at_; }
  bool done() const noexcept { return at_ >= text_.size(); }
  Character peek(std::size_t ahead = 0) const noexcept {
    return unicode::character_at(text_, at_ + ahead);
  }
  unsigned char byte(std::size_t ahead) const noexcept {
    return at_ + ahead < text_.size() ? static_cast<unsigned char>(text_[at_ + ahead]) : 0;
  }
  void skip(std::size_t bytes) noexcept { at_ += bytes; }

  /// Skips characters as long as they are of this class.
  void skip_all(CharacterClass kind) noexcept {
    for (;;) {
      while (ascii_kind() == kind) ++at_;
      const Character c = peek();
      if (c.kind != kind) return;
      at_ += c.bytes;
    }
  }
  /// Skips characters that are no white space, letter or number.
  void skip_signs() noexcept {
    for (;;) {
      while (is_sign(ascii_kind())) ++at_;
      const Character c = peek();
      if (!is_sign(c.kind)) return;
      at_ += c.bytes;
    }
  }
  void skip_line_ends() noexcept {
    while (byte(0) == '\r' || byte(0) == '\n') ++at_;
  }

  static bool is_sign(CharacterClass kind) noexcept {
    return kind != CharacterClass::none && kind != CharacterClass::space &&
           kind != CharacterClass::letter && kind != CharacterClass::number;
  }

 private:
  /// The class of an ASCII character, or none.
  CharacterClass ascii_kind() const noexcept {
    if (done()) return CharacterClass::none;
    return unicode::ascii::kClasses[static_cast<unsigned char>(text_[at_])];
  }

  std::string_view text_;
  std::size_t at_;
};

unsigned char lower(unsigned char byte) noexcept {
  return byte >= 'A' && byte <= 'Z' ? static_cast<unsigned char>(byte + ('a' - 'A')) : byte;
}

/// Length of an English contraction ('s, 't, 're, 've, 'm, 'll, 'd) at the reader's place, or 0.
std::size_t contraction(const Reader& reader, bool any_case) noexcept {
  if (reader.byte(0) != '\'') return 0;
  const auto letter = [&](std::size_t i) {
    return any_case ? lower(reader.byte(i)) : reader.byte(i);
  };
  const unsigned char first = letter(1);
  if (first == 's' || first == 't' || first == 'm' || first == 'd') return 2;
  const unsigned char second = letter(2);
  const bool two = (first == 'r' && second == 'e') || (first == 'v' && second == 'e') ||
                   (first == 'l' && second == 'l');
  return two ? 3 : 0;
}

/// \s+(?!\S)|\s+ : white space, without the last one where something else follows it.
void skip_white_space(Reader& reader) noexcept {
  std::size_t length = 0;
  std::size_t last = 0;
  Character c = reader.peek();
  for (; c.kind == CharacterClass::space; c = reader.peek(length)) {
    last = c.bytes;
    length += c.bytes;
  }
  const bool followed = c.kind != CharacterClass::none;
  reader.skip(followed && length > last ? length - last : length);
}

/// \s*[\r\n]+ : white space up to its last line end. False where it has none.
bool skip_to_line_end(Reader& reader) noexcept {
  std::size_t length = 0;
  std::size_t line_end = 0;
  for (Character c = reader.peek(); c.kind == CharacterClass::space; c = reader.peek(length)) {
    length += c.bytes;
    if (c.code_point == U'\r' || c.code_point == U'\n') line_end = length;
  }
  reader.skip(line_end);
  return line_end > 0;
}

void next_gpt2(Reader& reader) noexcept {
  if (const std::size_t length = contraction(reader, false)) return reader.skip(length);
  const Character c = reader.peek();
  const bool space = c.code_point == U' ';
  const CharacterClass kind = space ? reader.peek(1).kind : c.kind;
  if (kind == CharacterClass::letter || kind == CharacterClass::number) {
    reader.skip(space ? 1 : 0);
    return reader.skip_all(kind);
  }
  if (Reader::is_sign(kind)) {
    reader.skip(space ? 1 : 0);
    return reader.skip_signs();
  }
  skip_white_space(reader);
}

void skip_digits(Reader& reader, int at_most) noexcept {
  for (int i = 0; i < at_most; ++i) {
    const Character c = reader.peek();
    if (c.kind != CharacterClass::number) return;
    reader.skip(c.bytes);
  }
}

/// Llama 3 and its heirs, which differ in how many digits stay together.
void next_llama3(Reader& reader, int digits) noexcept {
  if (const std::size_t length = contraction(reader, true)) return reader.skip(length);
  const Character c = reader.peek();
  const bool line_end = c.code_point == U'\r' || c.code_point == U'\n';
  if (c.kind == CharacterClass::letter) return reader.skip_all(CharacterClass::letter);
  if (c.kind == CharacterClass::number) return skip_digits(reader, digits);
  if (!line_end && reader.peek(c.bytes).kind == CharacterClass::letter) {
    reader.skip(c.bytes);
    return reader.skip_all(CharacterClass::letter);
  }
  const bool space = c.code_point == U' ';
  if (Reader::is_sign(space ? reader.peek(1).kind : c.kind)) {
    reader.skip(space ? 1 : 0);
    reader.skip_signs();
    return reader.skip_line_ends();
  }
  if (!skip_to_line_end(reader)) skip_white_space(reader);
}

template <typename Next>
void split_all(Reader reader, WordSink sink, const Next& next) {
  while (!reader.done()) {
    const std::size_t begin = reader.at();
    next(reader);
    sink(begin, reader.at());
  }
}

}  // namespace

void gpt2(std::string_view text, std::size_t begin, std::size_t end, WordSink sink) {
  split_all(Reader(text, begin, end), sink, next_gpt2);
}

void llama3(std::string_view text, std::size_t begin, std::size_t end, WordSink sink) {
  split_all(Reader(text, begin, end), sink, [](Reader& reader) { next_llama3(reader, 3); });
}

void qwen2(std::string_view text, std::size_t begin, std::size_t end, WordSink sink) {
  split_all(Reader(text, begin, end), sink, [](Reader& reader) { next_llama3(reader, 1); });
}

}  // namespace lore::engine::split
