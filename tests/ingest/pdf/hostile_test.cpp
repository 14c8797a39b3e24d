// Files made to hurt: each must be answered, whole or in part, within time and memory.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>

#include "tests/ingest/pdf/pdf_builder.hpp"
#include "tests/ingest/pdf/read_pdf.hpp"

namespace lore::ingest::pdf::test {
namespace {

double cpu_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

std::string ref(int number) { return std::to_string(number) + " 0 R"; }

/// Reads a document in at most `seconds` of processor time (ten times that under sanitizers).
Document read_within(const std::string& bytes, double seconds) {
#ifdef LORE_SANITIZED
  seconds *= 10;
#endif
  const double start = cpu_seconds();
  const Document document = read_pdf(bytes);
  EXPECT_LT(cpu_seconds() - start, seconds);
  return document;
}

std::string page_of(int stream, const std::string& more = "") {
  return "<</Type/Page/MediaBox[0 0 612 792]/Contents " + ref(stream) +
         "/Resources<</Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>" + more + ">>>>";
}

/// A document of a good page, then one with `content` and these entries in its resources.
std::string two_pages(PdfBuilder& builder, int content, const std::string& resources = "") {
  const int good = builder.add_stream(text_at(72, 700, "good"));
  const int first = builder.add(page_of(good));
  const int second = builder.add(page_of(content, resources));
  const int tree =
      builder.add("<</Type/Pages/Count 2/Kids[" + ref(first) + " " + ref(second) + "]>>");
  return builder.build_with_root(builder.add("<</Type/Catalog/Pages " + ref(tree) + ">>"));
}

TEST(Hostile, TwoGibibytesOfSpacesInOneStream) {
  PdfBuilder builder;
  const int bomb = builder.add_stream(deflated_run(' ', 2048), "/Filter/FlateDecode");
  const Document document = read_within(two_pages(builder, bomb), 5);
  EXPECT_EQ(document.pages.at(0).text, "good");
  EXPECT_EQ(document.pages.at(1).state, PageState::failed);
  EXPECT_NE(document.pages.at(1).note, "");
}

TEST(Hostile, NestedLayersOfFlate) {
  PdfBuilder builder;
  const std::string inner = deflated(deflated(deflated_run(' ', 1024)));
  const int bomb = builder.add_stream(inner, "/Filter[/FlateDecode/FlateDecode/FlateDecode]");
  const Document document = read_within(two_pages(builder, bomb), 5);
  EXPECT_EQ(document.pages.at(0).text, "good");
}

TEST(Hostile, ManyFiltersInARow) {
  PdfBuilder builder;
  std::string filters;
  for (int i = 0; i < 10'000; ++i) filters += "/Fl";
  const int stream = builder.add_stream("x", "/Filter[" + filters + "]");
  EXPECT_EQ(read_within(two_pages(builder, stream), 5).pages.at(0).text, "good");
}

TEST(Hostile, AToUnicodeMapOfTwoGibibytes) {
  PdfBuilder builder;
  const int map = builder.add_stream(deflated_run('<', 2048), "/Filter/FlateDecode");
  const int content = builder.add_stream("BT /F2 10 Tf 72 700 Td (still read) Tj ET");
  const int font =
      builder.add("<</Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode " + ref(map) + ">>");
  const int page = builder.add("<</Type/Page/Contents " + ref(content) + "/Resources<</Font<</F2 " +
                               ref(font) + ">>>>>>");
  const int tree = builder.add("<</Type/Pages/Kids[" + ref(page) + "]>>");
  const int root = builder.add("<</Type/Catalog/Pages " + ref(tree) + ">>");
  EXPECT_EQ(read_within(builder.build_with_root(root), 10).pages.at(0).text, "still read");
}

TEST(Hostile, AFormThatDrawsItself) {
  PdfBuilder builder;
  const int form = builder.reserve();
  const int content = builder.add_stream("/X Do " + text_at(72, 600, "after"));
  builder.set(form, "<</Type/XObject/Subtype/Form/BBox[0 0 9 9]/Length 6/Resources<</XObject<</X " +
                        ref(form) + ">>>>>>\nstream\n/X Do \nendstream");
  const Document document =
      read_within(two_pages(builder, content, "/XObject<</X " + ref(form) + ">>"), 2);
  EXPECT_EQ(document.pages.at(1).text, "after");
  EXPECT_NE(document.pages.at(1).note, "");
}

TEST(Hostile, ThirtyLevelsOfFormsWithFourCallsEach) {
  PdfBuilder builder;
  int form = builder.add_stream(text_at(72, 700, "x"), "/Type/XObject/Subtype/Form/BBox[0 0 9 9]");
  for (int level = 0; level < 30; ++level) {
    form = builder.add_stream("/X Do /X Do /X Do /X Do",
                              "/Type/XObject/Subtype/Form/BBox[0 0 9 9]"
                              "/Resources<</XObject<</X " +
                                  ref(form) + ">>>>");
  }
  const int content = builder.add_stream("/X Do");
  const Document document =
      read_within(two_pages(builder, content, "/XObject<</X " + ref(form) + ">>"), 20);
  EXPECT_EQ(document.pages.at(0).text, "good");
  EXPECT_NE(document.pages.at(1).note, "");
}

TEST(Hostile, ElevenLevelsOfFormsStopAtTheBudgetOfOperations) {
  PdfBuilder builder;
  int form = builder.add_stream("q Q", "/Type/XObject/Subtype/Form/BBox[0 0 9 9]");
  for (int level = 0; level < 10; ++level) {
    std::string calls;
    for (int i = 0; i < 8; ++i) calls += "/X Do ";
    form = builder.add_stream(calls,
                              "/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<<"
                              "/X " +
                                  ref(form) + ">>>>");
  }
  const int content = builder.add_stream("/X Do");
  const Document document =
      read_within(two_pages(builder, content, "/XObject<</X " + ref(form) + ">>"), 20);
  EXPECT_NE(document.pages.at(1).note.find("more than"), std::string::npos);
}

TEST(Hostile, WidthArraysThatWouldFillTheMemory) {
  for (const char* widths : {"[0 2147483600 500]", "[0 [1 2 3] 5 4294967295 100]", "[-5 -1 3]",
                             "[1 2]", "[[1] [2]]", "[7 99999999999 500]"}) {
    PdfBuilder builder;
    const int content = builder.add_stream("BT /F2 10 Tf 72 700 Td <00410042> Tj ET");
    const int font = builder.add(
        std::string("<</Type/Font/Subtype/Type0/Encoding/Identity-H/DescendantFonts[<</Subtype"
                    "/CIDFontType2/W") +
        widths + ">>]>>");
    const int page = builder.add("<</Type/Page/Contents " + ref(content) +
                                 "/Resources<</Font<</F2 " + ref(font) + ">>>>>>");
    const int tree = builder.add("<</Type/Pages/Kids[" + ref(page) + "]>>");
    const int root = builder.add("<</Type/Catalog/Pages " + ref(tree) + ">>");
    EXPECT_EQ(read_within(builder.build_with_root(root), 2).pages.at(0).unmapped_glyphs, 2u)
        << widths;
  }
}

TEST(Hostile, PageTreesThatBranchWithoutEnd) {
  PdfBuilder builder;
  int node = builder.add("<</Type/Pages/Kids[]>>");
  for (int level = 0; level < 40; ++level) {
    const std::string kid = ref(node);
    node = builder.add("<</Type/Pages/Kids[" + kid + " " + kid + " " + kid + " " + kid + "]>>");
  }
  const int good = builder.add_stream(text_at(72, 700, "good"));
  const int page = builder.add(page_of(good));
  const int tree = builder.add("<</Type/Pages/Kids[" + ref(page) + " " + ref(node) + "]>>");
  const int root = builder.add("<</Type/Catalog/Pages " + ref(tree) + ">>");
  const Document document = read_within(builder.build_with_root(root), 10);
  EXPECT_EQ(document.pages.at(0).text, "good");
  EXPECT_FALSE(document.problems.empty());
}

TEST(Hostile, TwentyThousandPages) {
  PdfBuilder builder;
  const int stream = builder.add_stream(text_at(72, 700, "the same"));
  const int page = builder.add(page_of(stream));
  std::string kids;
  for (int i = 0; i < 20'000; ++i) kids += ref(page) + " ";
  const int tree = builder.add("<</Type/Pages/Kids[" + kids + "]>>");
  const int root = builder.add("<</Type/Catalog/Pages " + ref(tree) + ">>");
  const Document document = read_within(builder.build_with_root(root), 20);
  EXPECT_EQ(document.pages.size(), 20'000u);
  EXPECT_EQ(document.pages.back().text, "the same");
}

TEST(Hostile, WrongLengthsAreCorrected) {
  for (const char* length : {"0", "5", "99999999", "-3", "999 0 R", "(x)", "2147483648"}) {
    PdfBuilder builder;
    const int content =
        builder.add_stream(text_at(72, 700, "all of this text"), std::string("/Length ") + length);
    EXPECT_EQ(read_within(two_pages(builder, content), 2).pages.at(1).text, "all of this text")
        << length;
  }
}

TEST(Hostile, ReferencesInCirclesAndDeepNesting) {
  PdfBuilder builder;
  const int a = builder.reserve();
  const int b = builder.add(ref(a));
  builder.set(a, ref(b));
  const int content = builder.add_stream(text_at(72, 700, "fine"), "/Filter " + ref(a));
  EXPECT_EQ(read_within(two_pages(builder, content, "/XObject " + ref(a)), 2).pages.at(1).text,
            "fine");
  PdfBuilder nested;
  const int deep = nested.add_stream(std::string(100'000, '[') + text_at(72, 700, "x"));
  nested.add(std::string(5'000, '[') + std::string(5'000, ']'));
  EXPECT_EQ(read_within(two_pages(nested, deep), 5).pages.at(0).text, "good");
}

TEST(Hostile, NumbersThatAreNoNumbers) {
  PdfBuilder builder;
  const int content = builder.add_stream(
      "1e99999 0 0 1 99999999999999999999999999999999999999999999999999999999999 0 cm "
      "BT /F1 1e300 Tf 72 700 Td (a) Tj ET q 0 0 0 0 0 0 cm BT /F1 10 Tf (b) Tj ET Q "
      "BT /F1 10 Tf 0 0 0 0 0 0 Tm (c) Tj 99999999999999999999 Tc (d) Tj ET");
  EXPECT_EQ(read_within(two_pages(builder, content), 2).pages.at(0).text, "good");
}

TEST(Hostile, StatesThatAreNotKeptStillMeetTheirPartners) {
  const auto times = [](const std::string& what) {
    std::string all;
    for (int i = 0; i < 1499; ++i) all += what;
    return all;
  };
  PdfBuilder builder;
  // One level of 1,500 moves the page away; text after that level is on the page again.
  const int saves = builder.add_stream("q 1 0 0 1 5000 0 cm " + times("q ") + times("Q ") +
                                       text_at(72, 700, "away") + "Q " + text_at(72, 600, "here"));
  const int marks =
      builder.add_stream("/OC /Off BDC " + times("/P BMC ") + times("EMC ") +
                         text_at(72, 700, "hidden") + "EMC " + text_at(72, 600, "seen"));
  const int off = builder.add("<</Type/OCG/Name(off)>>");
  const int first = builder.add(page_of(saves));
  const int second = builder.add(page_of(marks, "/Properties<</Off " + ref(off) + ">>"));
  const int tree =
      builder.add("<</Type/Pages/Count 2/Kids[" + ref(first) + " " + ref(second) + "]>>");
  const Document document =
      read_within(builder.build_with_root(builder.add("<</Type/Catalog/Pages " + ref(tree) +
                                                      "/OCProperties<</OCGs[" + ref(off) +
                                                      "]/D<</OFF[" + ref(off) + "]>>>>>>")),
                  5);
  EXPECT_EQ(document.pages.at(0).text, "here");
  EXPECT_NE(document.pages.at(0).note, "");
  EXPECT_EQ(document.pages.at(1).text, "seen");
  EXPECT_NE(document.pages.at(1).note, "");
}

TEST(Hostile, ContentStreamsOverTheMostAreTold) {
  PdfBuilder builder;
  const int stream = builder.add_stream(text_at(72, 700, "x"));
  std::string list;
  for (int i = 0; i < 2001; ++i) list += ref(stream) + " ";
  const int page = builder.add("<</Type/Page/MediaBox[0 0 612 792]/Contents[" + list + "]" +
                               PdfBuilder::resources() + ">>");
  const int tree = builder.add("<</Type/Pages/Count 1/Kids[" + ref(page) + "]>>");
  const Document document = read_within(
      builder.build_with_root(builder.add("<</Type/Catalog/Pages " + ref(tree) + ">>")), 5);
  EXPECT_EQ(document.pages.at(0).text, "x");
  EXPECT_NE(document.pages.at(0).note.find("too many content streams"), std::string::npos);
}

TEST(Hostile, HugeGlyphs) {
  PdfBuilder builder;
  std::string content = "BT /F1 900000 Tf 0 Tz ";
  for (int i = 0; i < 500; ++i) content += "1 0 0 1 " + std::to_string(i) + " 9 Tm (abcdefgh) Tj ";
  const Document document = read_within(two_pages(builder, builder.add_stream(content + "ET")), 5);
  EXPECT_EQ(document.pages.at(0).text, "good");
}

TEST(Hostile, AnOutlineOfThousandsOfEntriesOverOnePageOfThousandsOfLines) {
  DocumentInfo info;
  info.page_count = 1;
  PageRecord page;
  page.state = PageState::text;
  for (int i = 0; i < 20'000; ++i) {
    info.outline.push_back({1, "Entry " + std::to_string(i), 0});
    page.blocks.push_back({{{"Line number " + std::to_string(i), 10, 0.5f, 0.5f}}});
  }
  [[maybe_unused]] const double start = cpu_seconds();
  EXPECT_EQ(assemble(info, {page}).pages.size(), 1u);
#ifndef LORE_SANITIZED
  EXPECT_LT(cpu_seconds() - start, 5);
#endif
}

TEST(Hostile, TwentyMegabytesAfterTheEnd) {
  PdfBuilder builder;
  builder.add_page(text_at(72, 700, "found"));
  const std::string pdf = builder.build() + std::string(std::size_t{20} << 20, 'x');
  EXPECT_EQ(read_within(pdf, 15).pages.at(0).text, "found");
}

TEST(Hostile, FlippedBytesAreAnsweredOrRead) {
  PdfBuilder builder;
  const int map = builder.add_stream("beginbfchar <41> <0042> endbfchar");
  builder.add_page("BT /F1 10 Tf 72 700 Td [(AB) -300 (C)] TJ ET",
                   "/Rotate 90/Resources<</Font<</F1<</Type/Font/Subtype/TrueType/BaseFont/X"
                   "/FirstChar 65/Widths[600 600]/Encoding<</Differences[65/A/B]>>/ToUnicode " +
                       ref(map) + ">>>>>>");
  const std::string pdf = builder.build("/PageLabels<</Nums[0<</S/r>>]>>");
  unsigned random = 1;
  for (int round = 0; round < 1'500; ++round) {
    std::string changed = pdf;
    for (int flips = 0; flips < 1 + round % 3; ++flips) {
      random = random * 1664525u + 1013904223u;
      changed[(random >> 8) % changed.size()] = static_cast<char>(random >> 3);
    }
    try {
      read_pdf(changed);
    } catch (const OpenError& error) {
      EXPECT_FALSE(error.reason.empty());
    }
  }
}

}  // namespace
}  // namespace lore::ingest::pdf::test
