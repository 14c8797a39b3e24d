#include "ingest/chunk/boundaries.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace lore::ingest {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

std::vector<std::pair<std::string, Break>> segments(const std::string& text,
                                                    const std::vector<HeadingMark>& headings = {},
                                                    bool fences = true) {
  std::vector<std::pair<std::string, Break>> result;
  for (const Segment& s : find_segments(text, headings, fences)) {
    result.emplace_back(text.substr(s.begin, s.end - s.begin), s.before);
  }
  return result;
}

TEST(Boundaries, ParagraphsAndSentences) {
  EXPECT_THAT(segments("One is\nhere. Two.\n\nThree."),
              ElementsAre(Pair("One is\nhere.", Break::paragraph), Pair("Two.", Break::sentence),
                          Pair("Three.", Break::paragraph)));
}

// The text with every "@" replaced.
std::string filled(std::string text, std::string_view with) {
  for (std::size_t at = text.find('@'); at != std::string::npos; at = text.find('@')) {
    text.replace(at, 1, with);
  }
  return text;
}

TEST(Boundaries, ListItemsOfEveryKind) {
  for (const char* marker : {"-", "*", "•", "1.", "12)", "(a)", "b)", "iv.", "2.1."}) {
    EXPECT_THAT(segments(filled("As follows:\n@ Take it\nand go.\n@ Take it", marker)),
                ElementsAre(Pair("As follows:", Break::paragraph),
                            Pair(filled("@ Take it\nand go.", marker), Break::list_item),
                            Pair(filled("@ Take it", marker), Break::list_item)))
        << marker;
  }
}

TEST(Boundaries, TableRows) {
  for (const char* separator : {"\t", " | ", "    "}) {
    EXPECT_THAT(segments(filled("Table\nCode@Text\nE1@Stop. Wait.\nNext.", separator)),
                ElementsAre(Pair("Table", Break::paragraph),
                            Pair(filled("Code@Text", separator), Break::paragraph),
                            Pair(filled("E1@Stop. Wait.", separator), Break::row),
                            Pair("Next.", Break::paragraph)));
  }
}

TEST(Boundaries, HeadingsStandAlone) {
  EXPECT_THAT(segments("Intro.\nTitle\nText.", {{7, 1}}),
              ElementsAre(Pair("Intro.", Break::paragraph), Pair("Title", Break::heading),
                          Pair("Text.", Break::paragraph)));
  EXPECT_THAT(segments("Title\n=====\nText.", {{0, 1}}),
              ElementsAre(Pair("Title\n=====", Break::heading), Pair("Text.", Break::paragraph)));
}

TEST(Boundaries, CodeFences) {
  const std::string code = "```c\na. B\n\n- c\n~~~\n```";
  EXPECT_THAT(segments("Text.\n" + code + "\nMore."),
              ElementsAre(Pair("Text.", Break::paragraph), Pair(code, Break::paragraph),
                          Pair("More.", Break::paragraph)));
  EXPECT_THAT(segments("```\nopen. End"), ElementsAre(Pair("```\nopen. End", Break::paragraph)));
  EXPECT_EQ(segments("```\n\na\n\n```", {}, false).size(), 3u) << "fences mean nothing in a PDF";
}

TEST(Boundaries, PagesStartingAndInsideASentence) {
  EXPECT_THAT(segments("It ends.\fNext page."),
              ElementsAre(Pair("It ends.", Break::paragraph), Pair("Next page.", Break::page)));
  EXPECT_THAT(segments("It goes\f\non here."),
              ElementsAre(Pair("It goes", Break::paragraph), Pair("on here.", Break::page_inside)));
  EXPECT_THAT(segments("End.\f\f\fTitle", {{7, 1}}),
              ElementsAre(Pair("End.", Break::paragraph), Pair("Title", Break::heading)));
}

}  // namespace
}  // namespace lore::ingest
