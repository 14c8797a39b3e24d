#include "base/number_ranges.hpp"

namespace lore {

std::string number_ranges(std::span<const std::size_t> numbers) {
  constexpr std::size_t kMaxRanges = 12;
  std::string text;
  std::size_t ranges = 0;
  for (std::size_t first = 0; first < numbers.size();) {
    if (ranges++ == kMaxRanges)
      return text + " and " + std::to_string(numbers.size() - first) + " more";
    std::size_t last = first;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    if (!text.empty()) text += ", ";
    text += std::to_string(numbers[first]);
    if (last > first) text += (last == first + 1 ? ", " : "-") + std::to_string(numbers[last]);
    first = last + 1;
  }
  return text;
}

}  // namespace lore
