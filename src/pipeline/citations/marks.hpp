// The "[n]" of an answer.
#pragma once

#include <cstddef>
#include <vector>

namespace lore::pipeline::citations {

/// A mark in a text's code points: "[2]", "[1, 3]", "[2-4]".
struct Mark {
  std::size_t end = 0;  ///< behind the closing bracket
  std::vector<int> numbers;
};

/// The mark that starts at `position`; without numbers where none does.
Mark read_mark(const std::vector<char32_t>& text, std::size_t position);

}  // namespace lore::pipeline::citations
