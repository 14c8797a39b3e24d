#include "ingest/chunk/cut.hpp"

#include <gtest/gtest.h>

#include <string>

namespace lore::ingest {
namespace {

std::string first_part(const std::string& text, std::size_t limit) {
  return text.substr(0, find_cut(text, 0, text.size(), limit).at);
}

TEST(FindCut, TakesAllThatFits) {
  EXPECT_EQ(first_part("one two", 7), "one two");
  EXPECT_EQ(first_part("one two   ", 7), "one two   ");
}

TEST(FindCut, CutsAfterTheLastWordThatFits) {
  EXPECT_EQ(first_part("one two three", 9), "one two ");
  EXPECT_EQ(find_cut("one two three", 0, 13, 9).kind, Break::word);
}

TEST(FindCut, PrefersLinesThenClausesInTheSecondHalf) {
  EXPECT_EQ(first_part("aa bb cc\ndd, ee ff gg", 17), "aa bb cc\n");
  EXPECT_EQ(first_part("aa bb cc, dd ee ff gg", 17), "aa bb cc, ");
  EXPECT_EQ(first_part("a\nbb cc dd ee ff gg hh", 17), "a\nbb cc dd ee ff ");
}

TEST(FindCut, GivesAWordOverTheLimitWhole) {
  EXPECT_EQ(first_part("abcdefghij kl", 4), "abcdefghij ");
  EXPECT_EQ(first_part("ab cdefghijk lm", 6), "ab ");
}

TEST(FindCut, CutsBetweenIdeographsButNotBeforePunctuation) {
  EXPECT_EQ(first_part("压力阀门", 7), "压力");
  EXPECT_EQ(first_part("压力。阀门", 6), "压");
  EXPECT_EQ(first_part("压力，阀门开", 14), "压力，");
}

TEST(FindCutInsideWord, KeepsGraphemesWhole) {
  const std::string word = "ae\u0301ie\u0301";
  EXPECT_EQ(find_cut_inside_word(word, 0, word.size(), 3).at, 1u);
  EXPECT_EQ(find_cut_inside_word(word, 0, word.size(), 4).at, 4u);
}

TEST(FindCutInsideWord, TakesAtLeastACodePoint) {
  const std::string word = "泵e\u0301\u0301\u0301\u0301";
  EXPECT_EQ(find_cut_inside_word(word, 0, word.size(), 1).at, 3u);
  EXPECT_EQ(find_cut_inside_word(word, 3, word.size(), 4).at, 6u) << "inside a cluster over it";
}

}  // namespace
}  // namespace lore::ingest
