#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/utf8.hpp"
#include "ingest/text/text_reader.hpp"

namespace lore::ingest {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(PlainText, IsStoredAsItIs) {
  const std::string text = "  Indented\n\n\n- item\ttab  \n";
  const Document document = read_plain_text(text);
  EXPECT_EQ(document.format, Format::text);
  EXPECT_EQ(document.text(), text);
  EXPECT_THAT(document.pages, SizeIs(1));
  EXPECT_EQ(document.pages[0].state, PageState::text);
  EXPECT_FALSE(document.paged);
  EXPECT_THAT(document.headings, IsEmpty());
}

TEST(PlainText, UnderlinedLinesAreHeadings) {
  const Document document =
      read_plain_text("Überblick\n=========\n\nText.\n\n  Details\n  -------\nMore.\n\nEnd\n===\n");
  ASSERT_THAT(document.headings, SizeIs(3));
  EXPECT_EQ(document.title, "Überblick");
  EXPECT_EQ(document.headings[1].level, 2);
  EXPECT_EQ(document.headings[1].title, "Details");
  EXPECT_EQ(document.headings[2].level, 1);
  for (const Heading& heading : document.headings) {
    const std::string text = document.text();
    const std::string_view line = utf8::slice(text, heading.start, heading.start + 20);
    EXPECT_NE(line.find(heading.title), std::string_view::npos) << line;
    EXPECT_TRUE(heading.start == 0 || utf8::slice(text, heading.start - 1, heading.start) == "\n");
  }
}

TEST(PlainText, RulesAndTablesAreNoHeadings) {
  EXPECT_THAT(read_plain_text("a  b\n----\n1  2\n").headings, SizeIs(1));
  EXPECT_THAT(read_plain_text("Some text that\ngoes on here\n------------\n").headings, IsEmpty());
  EXPECT_THAT(read_plain_text("\nShort\n--------------------------------\n").headings, IsEmpty());
  EXPECT_THAT(read_plain_text("\n-----\n-----\n").headings, IsEmpty());
}

TEST(PlainText, EmptyFilesAreEmptyPages) {
  EXPECT_EQ(read_plain_text("").pages.at(0).state, PageState::empty);
  EXPECT_EQ(read_plain_text(" \n\n").pages.at(0).state, PageState::empty);
}

TEST(PlainText, ProblemsOfDecodingAreKept) {
  EXPECT_THAT(read_plain_text("gr\xFC\xDF").problems, SizeIs(1));
}

}  // namespace
}  // namespace lore::ingest
