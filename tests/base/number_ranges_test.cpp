#include "base/number_ranges.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace lore {
namespace {

std::string ranges(const std::vector<std::size_t>& numbers) { return number_ranges(numbers); }

TEST(NumberRanges, RunsOfThreeAndMoreAreRanges) {
  EXPECT_EQ(ranges({}), "");
  EXPECT_EQ(ranges({7}), "7");
  EXPECT_EQ(ranges({1, 2, 4, 5, 6, 9}), "1, 2, 4-6, 9");
}

TEST(NumberRanges, LongListsAreCutAndCounted) {
  std::vector<std::size_t> odd;
  for (std::size_t i = 1; i < 100; i += 2) odd.push_back(i);
  EXPECT_EQ(ranges(odd), "1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23 and 38 more");
}

}  // namespace
}  // namespace lore
