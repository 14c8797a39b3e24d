// What tokenizers ask of a character: its general category, coarsely, and case.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace lore::engine::unicode {

/// White space (the White_Space property) comes before the general category.
enum class CharacterClass : std::uint8_t {
  none,         ///< no character: the end of the text
  letter,       ///< L*
  number,       ///< N*
  space,        ///< White_Space
  mark,         ///< M*
  punctuation,  ///< P*
  symbol,       ///< S*
  other,        ///< C* and separators that are no white space
};

namespace ascii {

constexpr CharacterClass class_of(char c) noexcept {
  constexpr std::string_view kSymbols = "$+<=>^`|~";
  if (c == ' ' || (c >= '\t' && c <= '\r')) return CharacterClass::space;
  if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) return CharacterClass::letter;
  if (c >= '0' && c <= '9') return CharacterClass::number;
  if (c < ' ' || c == 0x7F) return CharacterClass::other;
  return kSymbols.find(c) != std::string_view::npos ? CharacterClass::symbol
                                                    : CharacterClass::punctuation;
}

/// By byte; none for those that are no ASCII.
inline constexpr auto kClasses = [] {
  std::array<CharacterClass, 256> table{};
  for (std::size_t i = 0; i < 128; ++i) table[i] = class_of(static_cast<char>(i));
  return table;
}();

}  // namespace ascii

CharacterClass class_of(char32_t code_point) noexcept;

/// A character at a place in a text.
struct Character {
  char32_t code_point = 0;
  std::uint32_t bytes = 0;  ///< 0 at the end
  CharacterClass kind = CharacterClass::none;
};

/// The character at an `offset` inside of a text.
Character any_character_at(std::string_view text, std::size_t offset) noexcept;

/// The character at `offset` of a text, or one of class none at its end or beyond. A byte that is
/// no valid UTF-8 is one U+FFFD.
inline Character character_at(std::string_view text, std::size_t offset) noexcept {
  if (offset >= text.size()) return {};
  const auto byte = static_cast<unsigned char>(text[offset]);
  if (byte < 0x80) return {byte, 1, ascii::kClasses[byte]};
  return any_character_at(text, offset);
}

}  // namespace lore::engine::unicode
