// What tokenizers ask of a character: its general category, coarsely, and case.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/utf8.hpp"

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

CharacterClass class_of(char32_t code_point) noexcept;

/// A character at a place in a text.
struct Character {
  char32_t code_point = 0;
  std::uint32_t bytes = 0;  ///< 0 at the end
  CharacterClass kind = CharacterClass::none;
};

/// The character at `offset` of a text, or one of class none at its end or beyond. A byte that is
/// no valid UTF-8 is one U+FFFD.
inline Character character_at(std::string_view text, std::size_t offset) noexcept {
  if (offset >= text.size()) return {};
  std::size_t end = offset;
  const char32_t code_point = utf8::next(text, end);
  return {code_point, static_cast<std::uint32_t>(end - offset), class_of(code_point)};
}

}  // namespace lore::engine::unicode
