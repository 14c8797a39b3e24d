// How byte-level vocabularies spell bytes: every byte is one printable character.
// Source: GPT-2 (bytes that print keep their character, the others are numbered from U+0100 on).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace lore::engine {

/// The character that spells a byte.
char32_t byte_to_character(unsigned char byte) noexcept;

/// The bytes that a token spells, or nothing where it holds a character that spells no byte.
std::optional<std::string> decode_spelling(std::string_view spelling);

}  // namespace lore::engine
