#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <string>
#include <vector>

#include "base/utf8.hpp"
#include "ingest/text/html_source.hpp"
#include "ingest/text/text_reader.hpp"

namespace lore::ingest {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

std::string text_of(const std::string& html) { return read_html(html).text(); }

TEST(Html, BlocksArePartedAndWhiteSpaceCollapses) {
  EXPECT_EQ(text_of("<p>One\n  two</p><p>Three <b>bold</b>ly</p>  <div>a</div><div>b</div>"),
            "One two\n\nThree boldly\n\na\nb");
  EXPECT_EQ(text_of("a<br>b<br><br>c<hr>d"), "a\nb\n\nc\n\nd");
  EXPECT_EQ(text_of("<p>a&nbsp;&nbsp;b</p><p> </p><p></p><p>c</p>"), "a b\n\nc");
}

TEST(Html, EntitiesAndInvisibleCharacters) {
  EXPECT_EQ(text_of("&lt;5 &amp; &#8364;&#x20AC; &uuml;"), "<5 & €€ ü");
  EXPECT_EQ(text_of("ma&shy;chine x&#8203;y"), "machine xy");
}

TEST(Html, TitleAndHeadings) {
  const Document document = read_html(
      "<html><head><title> The\n title </title></head><body>"
      "<h1>Ein <i>Ü</i>berblick</h1><p>Text</p><h2>Teil<br>zwei</h2>x<h3></h3></body></html>");
  EXPECT_EQ(document.title, "The title");
  ASSERT_THAT(document.headings, SizeIs(2));
  EXPECT_EQ(document.headings[0].title, "Ein Überblick");
  EXPECT_EQ(document.headings[1].title, "Teil zwei");
  EXPECT_EQ(document.headings[1].level, 2);
  const std::string text = document.text();
  EXPECT_EQ(text, "Ein Überblick\n\nText\n\nTeil zwei\n\nx");
  EXPECT_EQ(utf8::slice(text, document.headings[1].start, document.headings[1].start + 9),
            "Teil zwei");
  EXPECT_EQ(read_html("<h2>Only</h2>").title, "Only");
}

TEST(Html, ListsWithTheirMarks) {
  EXPECT_EQ(text_of("<p>Do:</p><ol start=3><li>one<li>two<ul><li>inner</ul></ol><p>End"),
            "Do:\n\n3. one\n4. two\n  - inner\n\nEnd");
  EXPECT_EQ(text_of("<ul><li><p>para</p></li><li>b</li></ul>"), "- para\n- b");
  EXPECT_EQ(text_of("<dl><dt>Term</dt><dd>Meaning</dd></dl>"), "Term\nMeaning");
}

TEST(Html, TableRowsAreLinesOfCells) {
  EXPECT_EQ(text_of("<table><caption>T</caption><tr><th>Code<th>Text</tr>"
                    "<tr><td>E1</td><td><p>Stop.</p><p>Wait.</p></td></tr>"
                    "<tr><td></td><td>x<br>y</td><td></td></tr></table>end"),
            "T\nCode\tText\nE1\tStop. Wait.\n\tx y\n\nend");
}

TEST(Html, TablesThatOnlyPlaceThingsAreBlocks) {
  EXPECT_EQ(
      text_of("<table><tr><td><p>Left</p></td><td><table><tr><td>a</td><td>b</td></tr></table>"
              "</td></tr></table>"),
      "Left\n\na\tb");
}

TEST(Html, PreformattedTextKeepsItsLines) {
  EXPECT_EQ(text_of("<p>x</p><pre>\n  a\n\n    b\n</pre><p>y</p>"), "x\n\n  a\n\n    b\n\ny");
}

TEST(Html, WhatIsNotShownIsLeftOut) {
  const std::string text = text_of(
      "<head><style>p{}</style><script>var secret;</script></head>"
      "<p>seen</p><script>secret</script><style>secret</style><noscript>secret</noscript>"
      "<template><p>secret</p></template><div hidden>secret</div><p style='display: "
      "none'>secret</p>"
      "<span style=\"VISIBILITY:Hidden\">secret</span><!-- secret --><svg><text>secret</text></svg>"
      "<iframe>secret</iframe><p>end</p>");
  EXPECT_EQ(text, "seen\n\nend");
}

TEST(Html, Charsets) {
  EXPECT_EQ(text_of("<meta charset=\"iso-8859-1\"><p>gr\xFC\xDF"), "grüß");
  EXPECT_EQ(text_of("<meta http-equiv=Content-Type content='text/html; charset=GB2312'>\xB1\xC3"),
            "泵");
  EXPECT_EQ(text_of("<p>grüß"), "grüß");
  EXPECT_EQ(text_of("<?xml version='1.0' encoding='iso-8859-15'?><p>\xA4"), "€");
  EXPECT_EQ(text_of(std::string("\xFF\xFE<\0p\0>\0\xFC\0", 10)), "ü");
  EXPECT_THAT(read_html("<meta charset=utf-8><p>grüß\xFF").problems, SizeIs(1));
}

TEST(Html, EmptyPages) {
  EXPECT_EQ(read_html("").pages.at(0).state, PageState::empty);
  EXPECT_EQ(read_html("<script>x</script>").pages.at(0).state, PageState::empty);
}

TEST(Html, DeepNestingKeepsItsTextAndCostsLittle) {
  const auto start = std::chrono::steady_clock::now();
  for (const char* tag : {"div", "b", "ul", "table", "font", "a"}) {
    std::string html;
    for (int i = 0; i < 100000; ++i) html.append("<").append(tag).append(">");
    const Document document = read_html(html + "words");
    EXPECT_THAT(document.text(), HasSubstr("words")) << tag;
    EXPECT_THAT(document.problems, Not(IsEmpty()));
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
}

// The parser nests elements that browsers close, and what no end tag closes stays open.
TEST(Html, NoTagLeadsAroundTheLimitOfNesting) {
  const auto start = std::chrono::steady_clock::now();
  for (const char* tags : {"<optgroup>", "<rt>", "<rp>", "<div></x>", "<div></span></p>"}) {
    std::string html;
    for (int i = 0; i < 100'000; ++i) html += tags;
    const Document document = read_html(html + "words");
    EXPECT_THAT(document.text(), HasSubstr("words")) << tags;
    EXPECT_THAT(document.problems, Not(IsEmpty())) << tags;
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
}

// Trees that are deep all the same are freed without a call for every level.
TEST(Html, DeepTreesDoNotNeedADeepStack) {
  std::string html;
  for (int i = 0; i < 5'000; ++i) html += "<li><dd>";
  EXPECT_THAT(read_html(html + "words").text(), HasSubstr("words"));
}

TEST(Html, OrdinarySourcesPassUnchangedThroughTheLimit) {
  const std::string html =
      "<!-- <div> --><p a='>' b=\">\">x<script>if (a<b) '</div>'</script><br/></p></div>< 5 </ p>";
  const FlatSource flat = limit_nesting(html, 500);
  EXPECT_EQ(flat.html, html);
  EXPECT_EQ(flat.dropped, 0u);
}

TEST(Html, TheLimitDropsTagsInPairs) {
  const FlatSource flat = limit_nesting("<div><div><b>x</b>y</div>z</div>", 2);
  EXPECT_EQ(flat.html, "<div><div> x y</div>z</div>");
  EXPECT_EQ(flat.dropped, 2u);
}

TEST(Html, RandomMarkupGivesValidText) {
  static const std::vector<std::string> parts = {
      "<p>",       "</p>",       "<table>",    "<tr>",     "<td>",      "</table>",
      "<li>",      "<ul>",       "</ul>",      "<h1>",     "</h1>",     "<pre>",
      "</pre>",    "word ",      "\xFF",       "&#xD800;", "&#0;",      "<",
      ">",         "\"",         "<!--",       "-->",      "<script>",  "</script>",
      "<svg>",     "<title>",    "</title>",   "<select>", "<option>",  "\n",
      "\t",        "<template>", "<textarea>", "<b",       "<a href='", "&notanentity;",
      "<![CDATA[", "]]>",        "\f"};
  std::mt19937 random(11);
  for (int round = 0; round < 3000; ++round) {
    std::string html;
    for (std::size_t i = 0, n = random() % 40; i < n; ++i) html += parts[random() % parts.size()];
    const Document document = read_html(html);
    const std::string& text = document.pages.at(0).text;
    ASSERT_TRUE(utf8::is_valid(text)) << html;
    ASSERT_EQ(text.find('\f'), std::string::npos) << html;
    for (const Heading& heading : document.headings) {
      ASSERT_LE(heading.start, utf8::length(text)) << html;
    }
  }
}

}  // namespace
}  // namespace lore::ingest
