// From the glyphs of a row to its text.
#pragma once

#include <string>
#include <vector>

#include "ingest/pdf/fragments.hpp"

namespace lore::ingest::pdf {

/// The text of fragments that follow each other on one line: spaces where gaps or space glyphs
/// are, right-to-left runs in logical order, white space single.
std::u32string text_of(const Frame& frame, const std::vector<const Fragment*>& fragments);

/// Whether a character is of a script that runs from right to left.
bool is_right_to_left(char32_t c) noexcept;

}  // namespace lore::ingest::pdf
