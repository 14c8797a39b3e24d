#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/utf8.hpp"
#include "ingest/ingest.hpp"
#include "lore/error.hpp"
#include "tests/ingest/chunk/counting.hpp"

namespace lore::ingest {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

// A document of the given pages; lines that start with "# " or "## " are its headings.
Document make_document(const std::vector<std::string>& pages, Format format = Format::pdf) {
  Document document;
  document.format = format;
  std::size_t before = 0;
  for (const std::string& text : pages) {
    Page page;
    page.text = text;
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      const std::string line = text.substr(begin, end - begin);
      const std::size_t marks = line.find_first_not_of('#');
      if (marks != 0 && marks != std::string::npos && line[marks] == ' ') {
        document.headings.push_back({static_cast<int>(marks), line.substr(marks + 1),
                                     before + utf8::length(text.substr(0, begin))});
      }
      begin = end + 1;
    }
    before += utf8::length(text) + 1;
    document.pages.push_back(page);
  }
  return document;
}

std::vector<Chunk> chunks_of(const Document& document, std::size_t max_tokens,
                             std::size_t overlap = 0) {
  ChunkOptions options;
  options.max_tokens = max_tokens;
  options.overlap_tokens = overlap;
  return chunk(document, options,
               [](std::string_view text) { return test::count_word_pieces(text); });
}

// `count` different sentences of six tokens each.
std::string sentences(int count, char name = 'a') {
  std::string text;
  for (int i = 0; i < count; ++i) {
    text += std::string("The ") + name + std::to_string(i) + " is on it. ";
  }
  return text;
}

TEST(Chunker, EmptyDocumentsHaveNoChunks) {
  EXPECT_THAT(chunks_of(make_document({}), 64), IsEmpty());
  EXPECT_THAT(chunks_of(make_document({""}), 64), IsEmpty());
  EXPECT_THAT(chunks_of(make_document({" \n\n", "\n", "\xC2\xA0 \xE3\x80\x80"}), 64), IsEmpty());
}

TEST(Chunker, SmallTextIsOneChunk) {
  const auto chunks = chunks_of(make_document({"  The pump stops.\n\nIt starts again.  "}), 64);
  ASSERT_THAT(chunks, SizeIs(1));
  EXPECT_EQ(chunks[0].body, "The pump stops.\n\nIt starts again.");
  EXPECT_EQ(chunks[0].start, 2u);
  EXPECT_EQ(chunks[0].context, "");
}

TEST(Chunker, SpansAreCodePointsNotBytes) {
  const auto chunks = chunks_of(make_document({"äöü €", "  泵。 ok"}), 64);
  ASSERT_THAT(chunks, SizeIs(1));
  EXPECT_EQ(chunks[0].start, 0u);
  EXPECT_EQ(chunks[0].end, 13u);
  EXPECT_EQ(chunks[0].page, 0u);
  EXPECT_EQ(chunks[0].page_end, 1u);
}

TEST(Chunker, SplitsAtHeadingsBeforeParagraphs) {
  const auto document = make_document({"# One\n\n" + sentences(5, 'a') + "\n\n" +
                                       sentences(4, 'b') + "\n\n# Two\n\n" + sentences(6, 'c')});
  const auto chunks = chunks_of(document, 90);
  ASSERT_THAT(chunks, SizeIs(2));
  EXPECT_THAT(chunks[1].body, StartsWith("# Two"));
  EXPECT_THAT(chunks[0].heading, ElementsAre("One"));
  EXPECT_THAT(chunks[1].heading, ElementsAre("Two"));
}

TEST(Chunker, SplitsAtParagraphsBeforeSentences) {
  std::string text;
  for (char name = 'a'; name < 'i'; ++name) text += sentences(4, name) + "\n\n";
  for (const Chunk& c : chunks_of(make_document({text}), 80)) {
    EXPECT_THAT(c.body, StartsWith(std::string("The ") + c.body[4] + "0"));
    EXPECT_THAT(c.body, EndsWith("3 is on it."));
  }
}

TEST(Chunker, SplitsLongParagraphsAtSentences) {
  const auto chunks = chunks_of(make_document({sentences(60)}), 64);
  ASSERT_GT(chunks.size(), 5u);
  for (const Chunk& c : chunks) {
    EXPECT_THAT(c.body, StartsWith("The a"));
    EXPECT_THAT(c.body, EndsWith("is on it."));
  }
  for (std::size_t i = 0; i + 2 < chunks.size(); ++i) EXPECT_GT(chunks[i].tokens, 32u);
}

TEST(Chunker, NeverCutsATableRowThatFits) {
  std::string text = "# Alarms\n\nCode\tMeaning\tAction\n";
  for (int i = 0; i < 40; ++i) {
    text += "E";
    text += std::to_string(100 + i) + "\tPressure low. Pump idle.\tOpen valve. Restart.\n";
  }
  const auto chunks = chunks_of(make_document({text}), 100);
  ASSERT_GT(chunks.size(), 3u);
  for (const Chunk& c : chunks) {
    EXPECT_THAT(c.body, EndsWith("Restart."));
    EXPECT_THAT(c.body, StartsWith(&c == &chunks.front() ? "# Alarms" : "E1"));
    EXPECT_THAT(c.heading, ElementsAre("Alarms"));
  }
}

TEST(Chunker, RepeatsTheHeadOfATableInTheContext) {
  for (const char* bar : {"\t", " | "}) {
    std::string text = "# Alarms\n\nCode" + std::string(bar) + "Meaning\n";
    for (int i = 10; i < 70; ++i) {
      text.append("E").append(std::to_string(i)).append(bar).append("Pressure low\n");
    }
    const auto chunks = chunks_of(make_document({text}), 64);
    ASSERT_GT(chunks.size(), 3u);
    EXPECT_EQ(chunks[0].context, "Alarms");
    for (std::size_t i = 1; i < chunks.size(); ++i) {
      EXPECT_EQ(chunks[i].context, "Alarms > Code | Meaning");
      EXPECT_THAT(chunks[i].heading, ElementsAre("Alarms"));
    }
  }
}

TEST(Chunker, AHeadThatIsTooLongIsNotRepeated) {
  std::string text = sentences(6) + "\t" + sentences(6) + "\n";
  for (int i = 0; i < 40; ++i) text += "E1\tPressure low\n";
  for (const Chunk& c : chunks_of(make_document({text}), 64)) EXPECT_EQ(c.context, "");
}

TEST(Chunker, KeepsListItemsWhole) {
  std::string text = "Do this:\n";
  for (int i = 1; i < 30; ++i)
    text += std::to_string(i) + ". Close the tap. Wait a minute.\n   Then open it.\n";
  const auto chunks = chunks_of(make_document({text}), 80);
  ASSERT_GT(chunks.size(), 3u);
  for (const Chunk& c : chunks) EXPECT_THAT(c.body, EndsWith("open it."));
}

TEST(Chunker, KeepsCodeFencesWholeWhereTheyFit) {
  std::string code = "```\n";
  for (int i = 0; i < 6; ++i) code += "call(a. b);\n\n";
  code += "```";
  const std::string text = sentences(8, 'a') + "\n\n" + code + "\n\n" + sentences(8, 'b');
  bool found = false;
  for (const Chunk& c : chunks_of(make_document({text}, Format::markdown), 100)) {
    const bool any = c.body.find("call(") != std::string::npos;
    if (any) {
      EXPECT_THAT(c.body, HasSubstr(code));
    }
    found = found || any;
  }
  EXPECT_TRUE(found);
}

TEST(Chunker, NeverLeavesAHeadingAtTheEnd) {
  std::string text;
  for (int i = 0; i < 30; ++i) {
    text += "## Part " + std::to_string(i) + "\n\n" + sentences(1 + i % 7) + "\n\n";
  }
  for (const Chunk& c : chunks_of(make_document({text}), 90)) {
    EXPECT_THAT(c.body.substr(c.body.rfind('\n') + 1), Not(StartsWith("##"))) << c.body;
  }
}

TEST(Chunker, PrefersAPageBreakWhenOverHalfFull) {
  // Paragraphs would allow 8 sentences + 2 of the next page; the page ends after 8.
  const auto document =
      make_document({sentences(4, 'a') + "\n\n" + sentences(4, 'b'),
                     sentences(2, 'c') + "\n\n" + sentences(4, 'd') + "\n\n" + sentences(2, 'e')});
  const auto chunks = chunks_of(document, 90);
  ASSERT_THAT(chunks, SizeIs(2));
  EXPECT_EQ(chunks[0].page_end, 0u);
  EXPECT_EQ(chunks[1].page, 1u);
}

TEST(Chunker, ARunningTitleStaysWithTheHeadingBelowIt) {
  const std::string title = "Pump manual, issue 3\n\n";
  const auto document = make_document({title + "# One\n\n" + sentences(6, 'a') + "\n\nPage 1",
                                       title + "# Two\n\n" + sentences(6, 'b') + "\n\nPage 2"});
  const auto chunks = chunks_of(document, 90);
  ASSERT_THAT(chunks, SizeIs(2));
  EXPECT_THAT(chunks[0].heading, ElementsAre("One"));
  EXPECT_THAT(chunks[0].body, EndsWith("Page 1"));
  EXPECT_THAT(chunks[1].heading, ElementsAre("Two"));
  EXPECT_THAT(chunks[1].body, StartsWith("Pump manual"));
}

TEST(Chunker, ChunksOverTwoPagesNameBoth) {
  const auto chunks = chunks_of(make_document({"One.", "", "Two ends here and"}), 64);
  ASSERT_THAT(chunks, SizeIs(1));
  EXPECT_EQ(chunks[0].page, 0u);
  EXPECT_EQ(chunks[0].page_end, 2u);
}

TEST(Chunker, ContextIsTitleAndHeadingPath) {
  auto document = make_document({"# Operation\n\nx\n\n## Pressure\n\n" + sentences(12)});
  document.title = "Pump\n manual";
  const auto chunks = chunks_of(document, 60);
  EXPECT_EQ(chunks.back().context, "Pump manual > Operation > Pressure");
  EXPECT_THAT(chunks.back().heading, ElementsAre("Operation", "Pressure"));
}

TEST(Chunker, ATitleThatIsTheFirstHeadingStandsOnce) {
  auto document = make_document({"# Pump\n\nText."});
  document.title = "Pump";
  EXPECT_EQ(chunks_of(document, 60).at(0).context, "Pump");
}

TEST(Chunker, AHeadingAboveADeeperOneSharesItsPath) {
  const auto chunks = chunks_of(make_document({"# A\n\n## B\n\nText."}), 60);
  ASSERT_THAT(chunks, SizeIs(1));
  EXPECT_THAT(chunks[0].heading, ElementsAre("A", "B"));
}

TEST(Chunker, LongContextsAreShortenedToAQuarter) {
  auto document = make_document(
      {"# " + std::string(200, 'h') + " outer words here\n\n## Inner one\n\n" + sentences(30)});
  document.title = std::string(300, 't');
  const auto chunks = chunks_of(document, 64);
  for (const Chunk& c : chunks) {
    EXPECT_LE(test::count_word_pieces(c.context), 2u + 16u);
    EXPECT_LE(c.tokens, 64u);
  }
  EXPECT_EQ(chunks.back().context, "Inner one");
  EXPECT_THAT(chunks.back().heading, SizeIs(2)) << "the path itself is not shortened";
}

TEST(Chunker, OverlapRepeatsWholeSentences) {
  const auto chunks = chunks_of(make_document({sentences(40)}), 64, 14);
  ASSERT_GT(chunks.size(), 4u);
  for (std::size_t i = 1; i < chunks.size(); ++i) {
    EXPECT_LT(chunks[i].start, chunks[i - 1].end);
    EXPECT_THAT(chunks[i].body, StartsWith("The a"));
    const std::size_t shared = chunks[i - 1].end - chunks[i].start;
    EXPECT_LE(test::count_word_pieces(chunks[i].body.substr(0, shared)), 2u + 14u);
  }
}

TEST(Chunker, OverlapDoesNotCrossHeadings) {
  const auto document =
      make_document({"# One\n\n" + sentences(6, 'a') + "\n\n# Two\n\n" + sentences(6, 'b')});
  const auto chunks = chunks_of(document, 64, 14);
  ASSERT_THAT(chunks, SizeIs(2));
  EXPECT_THAT(chunks[1].body, StartsWith("# Two"));
}

TEST(Chunker, AWordOverTheLimitIsCutAndNothingIsLost) {
  const std::string word(2000, 'x');
  const auto chunks = chunks_of(make_document({"See " + word + " there."}), 64);
  std::string all;
  for (const Chunk& c : chunks) all += c.body;
  EXPECT_THAT(all, HasSubstr(word));
}

TEST(Chunker, GraphemesStayWholeInsideLongWords) {
  const auto count_bytes = [](std::string_view text) { return test::count_bytes(text); };
  std::string word;
  for (int i = 0; i < 300; ++i) word += "e\u0301";
  for (const Chunk& c : chunk(make_document({word}), {64, 0}, count_bytes)) {
    EXPECT_THAT(c.body, StartsWith("e"));
    EXPECT_THAT(c.body, EndsWith("\u0301"));
  }
}

TEST(Chunker, HeadingsOutsideTheTextDoNoHarm) {
  auto document = make_document({"Some text."});
  document.headings = {{1, "Far", 500}, {0, "Odd level", 900}};
  const auto chunks = chunks_of(document, 60);
  ASSERT_THAT(chunks, SizeIs(1));
  EXPECT_THAT(chunks[0].heading, IsEmpty());
}

TEST(Chunker, RefusesALimitThatLeavesNoRoom) {
  try {
    chunks_of(make_document({"Text."}), 9);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    EXPECT_THAT(error.what(), HasSubstr("--chunk-tokens 10"));
  }
  EXPECT_THAT(chunks_of(make_document({"Text."}), 10), SizeIs(1));
}

}  // namespace
}  // namespace lore::ingest
