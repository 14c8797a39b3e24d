// Tables in the text of a page: one line a row, cells parted by tabs or by "|".
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "pipeline/citations/citations.hpp"
#include "pipeline/citations/segments.hpp"

namespace lore::pipeline::citations {

/// The cells of a line, without the white space around them; one for a line that is no row. Cells
/// that are empty between two bars or tabs count, so that equal positions are equal columns.
std::vector<TextSpan> cells_of(const std::vector<char32_t>& text, const TextSpan& line);

/// For each sentence of a text, the one that names the columns of the table in which it is a row:
/// the first of rows that follow each other, where it has as many cells as the row and no number
/// but years and codes. A sentence that has no such row is given its own index. `tokens` are those
/// of the whole text.
std::vector<std::size_t> column_heads(const std::vector<char32_t>& text, Tokens tokens,
                                      std::span<const TextSpan> sentences);

}  // namespace lore::pipeline::citations
