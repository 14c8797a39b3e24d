// How byte-level vocabularies spell bytes: every byte is one printable character.
// Source: GPT-2 (bytes that print keep their character, the others are numbered from U+0100 on).
#pragma once

#include <string>
#include <string_view>

namespace lore::engine {

/// The character that spells a byte.
char32_t byte_to_character(unsigned char byte) noexcept;

/// Appends the bytes that a token spells. False, with some of them appended, where it holds a
/// character that spells no byte.
bool append_spelled(std::string_view spelling, std::string& bytes);

}  // namespace lore::engine
