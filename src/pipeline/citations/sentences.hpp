// Where sentences end.
#pragma once

#include <string_view>
#include <vector>

#include "pipeline/citations/citations.hpp"

namespace lore::pipeline::citations {

enum class LineEnds {
  guessed,  ///< a page: a line may go on in the next one
  joined,   ///< a page, whose lines go on unless they are rows, items or stand before a blank line
  hard,     ///< an answer: each line is one of its own
};

std::vector<TextSpan> find_sentences(const std::vector<char32_t>& text, LineEnds line_ends);

}  // namespace lore::pipeline::citations
