// Lists of numbers for people.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace lore {

/// "1, 3-5, 9" for 1 3 4 5 9 (ascending); a long list ends in "and 12 more".
std::string number_ranges(std::span<const std::size_t> numbers);

}  // namespace lore
