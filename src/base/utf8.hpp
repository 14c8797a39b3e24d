// UTF-8: decoding that never fails, validation, and offsets in code points.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lore::utf8 {

inline constexpr char32_t kReplacement = U'\uFFFD';

/// Reads the code point at `offset` and moves `offset` past it. A byte that starts no valid
/// sequence (Unicode 15, table 3-7) counts as one U+FFFD and moves by one. `offset` must be below
/// the text's size.
char32_t next(std::string_view text, std::size_t& offset) noexcept;

/// Appends the UTF-8 of `code_point`; surrogates and values over U+10FFFF become U+FFFD.
void append(std::string& text, char32_t code_point);

bool is_valid(std::string_view text) noexcept;

/// The text with every invalid byte replaced by U+FFFD.
std::string sanitized(std::string_view text);

/// All code points, invalid bytes as U+FFFD.
std::vector<char32_t> decode(std::string_view text);

std::string encode(const std::vector<char32_t>& code_points);

/// Number of code points in a valid text.
std::size_t length(std::string_view text) noexcept;

/// Byte offset of the code point with index `position` (at most length()) in a valid text.
std::size_t byte_offset(std::string_view text, std::size_t position) noexcept;

/// text[start, end) in code points, of a valid text; both are clamped to its length.
std::string_view slice(std::string_view text, std::size_t start, std::size_t end) noexcept;

}  // namespace lore::utf8
