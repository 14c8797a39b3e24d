#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/utf8.hpp"
#include "ingest/text/text_reader.hpp"

namespace lore::ingest {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::vector<std::string> titles(const Document& document) {
  std::vector<std::string> list;
  for (const Heading& heading : document.headings) {
    list.push_back(std::to_string(heading.level) + " " + heading.title);
  }
  return list;
}

TEST(Markdown, IsStoredAsItsSource) {
  const std::string source = "# A *b*\r\n\r\n- x\r\n\r\n| a | b |\r\n";
  EXPECT_EQ(read_markdown(source).text(), "# A *b*\n\n- x\n\n| a | b |\n");
}

TEST(Markdown, HeadingsOfBothKindsWithoutTheirMarkup) {
  const Document document = read_markdown(
      "# One `code` and **bold** &amp; [link](http://x)\n\nText\n\nTwo\nlines\n---\n\n### Drei "
      "##\n");
  EXPECT_THAT(titles(document), ElementsAre("1 One code and bold & link", "2 Two lines", "3 Drei"));
}

TEST(Markdown, HeadingsKnowTheirPlace) {
  const Document document = read_markdown("ä\n\n# Ü1\n\ntext\n\n> ## Ü2\n\nÜ3\n==\n");
  const std::string text = document.text();
  ASSERT_THAT(document.headings, SizeIs(3));
  EXPECT_EQ(utf8::slice(text, document.headings[0].start, document.headings[0].start + 4), "# Ü1");
  EXPECT_EQ(utf8::slice(text, document.headings[1].start, document.headings[1].start + 7),
            "> ## Ü2");
  EXPECT_EQ(utf8::slice(text, document.headings[2].start, document.headings[2].start + 2), "Ü3");
}

TEST(Markdown, CodeHoldsNoHeadings) {
  EXPECT_THAT(titles(read_markdown("```\n# no\n```\n\n    # no\n\n`# no`\n\n# yes\n")),
              ElementsAre("1 yes"));
}

TEST(Markdown, TheTitleIsTheHighestHeading) {
  EXPECT_EQ(read_markdown("## Part\n\n# Whole\n").title, "Whole");
  EXPECT_EQ(read_markdown("## First\n\n## Second\n").title, "First");
  EXPECT_EQ(read_markdown("no heading\n").title, "");
}

TEST(Markdown, FrontMatterNamesTheTitleAndIsNoHeading) {
  const Document yaml =
      read_markdown("---\ntitle: \"The Ü: manual\"\nauthor: x\n---\n\n# Chapter\n");
  EXPECT_EQ(yaml.title, "The Ü: manual");
  EXPECT_THAT(titles(yaml), ElementsAre("1 Chapter"));
  EXPECT_EQ(utf8::slice(yaml.text(), yaml.headings[0].start, yaml.headings[0].start + 9),
            "# Chapter");
  EXPECT_EQ(read_markdown("+++\ntitle = 'Toml'\n+++\ntext\n").title, "Toml");
}

TEST(Markdown, ARuleAtTheTopIsNoFrontMatter) {
  const Document document = read_markdown("---\n\n# Title\n\ntext: x\n");
  EXPECT_THAT(titles(document), ElementsAre("1 Title"));
  EXPECT_EQ(document.title, "Title");
}

TEST(Markdown, EmptyAndHostileSources) {
  EXPECT_EQ(read_markdown("").pages.at(0).state, PageState::empty);
  EXPECT_THAT(read_markdown("#\n\n##   \n").headings, IsEmpty());
  EXPECT_THAT(read_markdown("# last line").headings, SizeIs(1));
  const std::string deep(50000, '>');
  EXPECT_EQ(read_markdown(deep).text(), deep);
  const std::string brackets(50000, '[');
  EXPECT_EQ(read_markdown("# " + brackets).headings.size(), 1u);
}

}  // namespace
}  // namespace lore::ingest
