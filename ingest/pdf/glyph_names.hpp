// From a glyph's name to what it means.
//
// Source: Adobe Glyph List Specification, section 2.
#pragma once

#include <string>
#include <string_view>

namespace lore::ingest::pdf {

/// The characters that a glyph name stands for: names of the Adobe Glyph List, "uniXXXX…",
/// "uXXXXXX", parts joined by '_', a suffix after '.' ignored. Empty where the name tells nothing.
std::u32string glyph_name_to_unicode(std::string_view name);

/// Appends what searching and reading want in place of `code_point`: ligatures and Arabic
/// presentation forms become their letters, control characters and surrogates nothing (tab and
/// line ends a space), a private-use character U+FFFD.
void append_readable(std::u32string& text, char32_t code_point);

}  // namespace lore::ingest::pdf
