// Page trees that lie, labels, states of pages, outlines and opening.
#include <gtest/gtest.h>

#include "tests/ingest/pdf/pdf_builder.hpp"
#include "tests/ingest/pdf/read_pdf.hpp"

namespace lore::ingest::pdf::test {
namespace {

std::string page_text(PdfBuilder& builder, const std::string& text) {
  const int stream = builder.add_stream(text_at(72, 700, text));
  return "<</Type/Page/MediaBox[0 0 612 792]/Contents " + std::to_string(stream) + " 0 R" +
         PdfBuilder::resources() + ">>";
}

std::string ref(int number) { return std::to_string(number) + " 0 R"; }

/// A document whose page tree's root has this text.
std::string with_tree(PdfBuilder& builder, const std::string& tree) {
  const int pages = builder.add(tree);
  return builder.build_with_root(builder.add("<</Type/Catalog/Pages " + ref(pages) + ">>"));
}

std::vector<std::string> texts(const Document& document) {
  std::vector<std::string> out;
  for (const Page& page : document.pages) out.push_back(page.text);
  return out;
}

using Texts = std::vector<std::string>;

TEST(PageTree, CountIsNeverBelieved) {
  for (const char* count : {"1", "-5", "0", "2147483647", "(x)"}) {
    PdfBuilder builder;
    const int a = builder.add(page_text(builder, "one"));
    const int b = builder.add(page_text(builder, "two"));
    const int c = builder.add(page_text(builder, "three"));
    const std::string pdf =
        with_tree(builder, std::string("<</Type/Pages/Count ") + count + "/Kids[" + ref(a) + " " +
                               ref(b) + " " + ref(c) + "]>>");
    EXPECT_EQ(texts(read_pdf(pdf)), (Texts{"one", "two", "three"})) << count;
  }
}

TEST(PageTree, InlineUntypedAndMissingKidsKeepTheirPlace) {
  PdfBuilder builder;
  const int a = builder.add(page_text(builder, "one"));
  const int stream = builder.add_stream(text_at(72, 700, "untyped"));
  const std::string untyped =
      "<</MediaBox[0 0 612 792]/Contents " + ref(stream) + PdfBuilder::resources() + ">>";
  const std::string inlined = page_text(builder, "inline");
  const int b = builder.add(page_text(builder, "last"));
  const Document document =
      read_pdf(with_tree(builder, "<</Type/Pages/Count 5/Kids[999 0 R " + ref(a) + " " + inlined +
                                      " " + untyped + " null " + ref(b) + "]>>"));
  EXPECT_EQ(texts(document), (Texts{"", "one", "inline", "untyped", "", "last"}));
  EXPECT_EQ(document.pages[0].state, PageState::failed);
  EXPECT_NE(document.pages[0].note, "");
  EXPECT_EQ(document.pages[4].state, PageState::failed);
}

TEST(PageTree, CyclesAreCutAndNamedAndAPageListedTwiceIsTwoPages) {
  PdfBuilder builder;
  const int root = builder.reserve();
  const int a = builder.add(page_text(builder, "again"));
  const int inner = builder.add("<</Type/Pages/Kids[" + ref(a) + " " + ref(root) + "]>>");
  builder.set(root, "<</Type/Pages/Count 2/Kids[" + ref(inner) + " " + ref(a) + "]>>");
  const int catalog = builder.add("<</Type/Catalog/Pages " + ref(root) + ">>");
  const Document document = read_pdf(builder.build_with_root(catalog));
  EXPECT_EQ(texts(document), (Texts{"again", "again"}));
  ASSERT_EQ(document.problems.size(), 1u);
  EXPECT_NE(document.problems[0].find("page tree"), std::string::npos);
}

/// Whether one of the problems holds these words.
testing::AssertionResult told(const Document& document, const std::string& words) {
  for (const std::string& problem : document.problems) {
    if (problem.find(words) != std::string::npos) return testing::AssertionSuccess();
  }
  return testing::AssertionFailure() << "no problem says '" << words << "'";
}

TEST(PageTree, ABranchThatIsLostIsToldWithItsPages) {
  for (const char* kids : {"", "/Kids 5", "/Kids 999 0 R"}) {
    PdfBuilder builder;
    const int a = builder.add(page_text(builder, "one"));
    const int lost = builder.add(std::string("<</Type/Pages/Count 12") + kids + ">>");
    const Document document = read_pdf(
        with_tree(builder, "<</Type/Pages/Count 13/Kids[" + ref(a) + " " + ref(lost) + "]>>"));
    EXPECT_EQ(texts(document), (Texts{"one"})) << kids;
    EXPECT_TRUE(told(document, "12 pages")) << kids;
    EXPECT_TRUE(told(document, "claims 13 pages, and 1 could be found")) << kids;
  }
}

TEST(PageTree, ACountThatIsRightOrSenselessIsNoProblem) {
  for (const char* count : {"1", "-5", "(x)"}) {
    PdfBuilder builder;
    const int a = builder.add(page_text(builder, "one"));
    const Document document = read_pdf(with_tree(
        builder, std::string("<</Type/Pages/Count ") + count + "/Kids[" + ref(a) + "]>>"));
    EXPECT_EQ(document.problems.size(), 0u) << count;
  }
}

TEST(PageTree, FourThousandLevelsDeep) {
  PdfBuilder builder;
  int node = builder.add(page_text(builder, "deep"));
  for (int level = 0; level < 4000; ++level) {
    node = builder.add("<</Type/Pages/Count 1/Kids[" + ref(node) + "]>>");
  }
  const int catalog = builder.add("<</Type/Catalog/Pages " + ref(node) + ">>");
  EXPECT_EQ(texts(read_pdf(builder.build_with_root(catalog))), (Texts{"deep"}));
}

TEST(PageTree, ResourcesBoxAndRotationAreInherited) {
  PdfBuilder builder;
  const int stream = builder.add_stream(text_at(100, 100, "turned") + text_at(500, 100, "outside"));
  const int page = builder.add("<</Type/Page/Contents " + ref(stream) + ">>");
  const std::string tree = "<</Type/Pages/Count 1/Kids[" + ref(page) +
                           "]/MediaBox[0 0 400 400]/Rotate 90" + PdfBuilder::resources() + ">>";
  EXPECT_EQ(texts(read_pdf(with_tree(builder, tree))), (Texts{"turned"}));
}

TEST(PageTree, DocumentsWithoutAPageAreDamaged) {
  PdfBuilder builder;
  const std::string pdf = with_tree(builder, "<</Type/Pages/Count 3/Kids[]>>");
  try {
    read_pdf(pdf);
    FAIL() << "opened";
  } catch (const OpenError& error) {
    EXPECT_EQ(error.code, "damaged");
  }
}

TEST(PageLabels, AllStyles) {
  PdfBuilder builder;
  for (int i = 0; i < 9; ++i) builder.add_page(text_at(72, 700, "x"));
  const std::string pdf = builder.build(
      "/PageLabels<</Nums[0<</S/r>> 3<</S/D/St 10>> 5<</S/A/P(App-)>> 6<</P(Cover)>> 7<</S/R/St "
      "4>> 8<</S/a/St 27>>]>>");
  std::vector<std::string> labels;
  for (const Page& page : read_pdf(pdf).pages) labels.push_back(page.label);
  EXPECT_EQ(labels, (Texts{"i", "ii", "iii", "10", "11", "App-A", "Cover", "IV", "aa"}));
}

TEST(PageLabels, NumbersWithoutLabelsAndWithSenselessOnes) {
  for (const char* entry : {"", "/PageLabels 5", "/PageLabels<</Nums[-1<</S/D>> (x) 3]>>"}) {
    PdfBuilder builder;
    builder.add_page(text_at(72, 700, "x"));
    builder.add_page(text_at(72, 700, "y"));
    const Document document = read_pdf(builder.build(entry));
    EXPECT_EQ(document.pages.at(0).label, "1") << entry;
    EXPECT_EQ(document.pages.at(1).label, "2") << entry;
  }
}

TEST(PageStates, EmptyImageOnlyFailedAndText) {
  PdfBuilder builder;
  const int image = builder.add_stream("xxxx",
                                       "/Type/XObject/Subtype/Image/Width 2/Height 2"
                                       "/ColorSpace/DeviceGray/BitsPerComponent 8");
  const std::string resources = "/Resources<</XObject<</I " + ref(image) + ">>>>";
  builder.add_page("");
  builder.add_page("q 600 0 0 700 0 0 cm /I Do Q", resources);
  builder.add_page("q 10 0 0 10 0 0 cm /I Do Q", resources);  // a speck is no scan
  builder.add_page("q 600 0 0 700 0 0 cm BI /W 1 /H 1 /BPC 8 /CS /G ID x EI Q");
  builder.add_page(text_at(72, 700, "text"));
  std::vector<PageState> states;
  for (const Page& page : read_pdf(builder.build()).pages) states.push_back(page.state);
  EXPECT_EQ(states,
            (std::vector<PageState>{PageState::empty, PageState::image_only, PageState::empty,
                                    PageState::image_only, PageState::text}));
}

TEST(PageStates, AMissingContentStreamIsNoEmptyPage) {
  for (const char* contents : {"[999 0 R]", " 999 0 R"}) {
    PdfBuilder builder;
    const int page = builder.add(std::string("<</Type/Page/Contents") + contents +
                                 PdfBuilder::resources() + ">>");
    const int good = builder.add(page_text(builder, "good"));
    const Document document = read_pdf(
        with_tree(builder, "<</Type/Pages/Count 2/Kids[" + ref(page) + " " + ref(good) + "]>>"));
    EXPECT_EQ(document.pages[0].state, PageState::failed) << contents;
    EXPECT_NE(document.pages[0].note, "") << contents;
    EXPECT_EQ(document.pages[1].text, "good");
  }
}

TEST(PageStates, AMissingFormIsNoEmptyPage) {
  PdfBuilder builder;
  builder.add_page("/Form Do", "/Resources<</XObject<</Form 999 0 R>>>>");
  builder.add_page("/OC /Off BDC /Form Do EMC");
  const Document document = read_pdf(builder.build());
  EXPECT_EQ(document.pages[0].state, PageState::failed);
  EXPECT_NE(document.pages[0].note.find("missing"), std::string::npos);
}

TEST(Losses, AreToldWithTheNumbersOfTheirPages) {
  PdfBuilder builder;
  const std::string nameless =
      "/Resources<</Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding<</Differences["
      "65/g1/g2/g3]>>>>>>>>";
  builder.add_page(text_at(72, 700, "whole"));
  for (int i = 0; i < 3; ++i) builder.add_page(text_at(72, 700, "part") + "/Form Do");
  builder.add_page(text_at(72, 700, "ABCAB"), nameless);
  builder.add_page(text_at(72, 700, "a long line of text with one A"), nameless);
  const Document document = read_pdf(builder.build());
  ASSERT_EQ(document.problems.size(), 2u);
  EXPECT_TRUE(told(document, "pages 2-4: a picture or form that the page draws is missing"));
  EXPECT_TRUE(told(document, "page 5: the file does not tell what many characters mean"));
}

TEST(Opening, JunkBeforeTheHeaderAndWrongOffsets) {
  PdfBuilder builder;
  builder.add_page(text_at(72, 700, "found"));
  const std::string pdf = builder.build();
  const auto swapped = [&pdf](std::string_view what, std::string_view by) {
    std::string out = pdf;
    for (std::size_t at = out.find(what); at != std::string::npos; at = out.find(what, at + 1)) {
      out.replace(at, what.size(), by);
    }
    return out;
  };
  const std::string damaged[] = {
      "junk\n" + pdf,
      swapped(" 00000 n ", " 00000 f "),
      swapped("startxref", "startxxxx"),
      swapped("endobj\nxref", "endobj\nyref"),
      swapped("trailer", "trailor"),
      pdf.substr(0, pdf.find("xref")),
      pdf.substr(0, pdf.find("trailer")),
      std::string(pdf).insert(9, "% five more bytes\n"),
  };
  for (const std::string& bytes : damaged) {
    EXPECT_EQ(texts(read_pdf(bytes)), (Texts{"found"})) << bytes.substr(0, 40);
  }
}

// A rebuilt cross-reference names what object streams hold; writers compress those with prediction.
TEST(Opening, ObjectStreamsWithPredictionAreRebuiltToo) {
  constexpr std::size_t kColumns = 16;
  const std::string bodies[] = {"<</Type/Catalog/Pages 11 0 R>>",
                                "<</Type/Pages/Count 1/Kids[12 0 R]>>",
                                "<</Type/Page/MediaBox[0 0 612 792]/Parent 11 0 R/Contents 2 0 R" +
                                    PdfBuilder::resources() + ">>"};
  std::string header, members;
  for (int i = 0; i < 3; ++i) {
    header += std::to_string(10 + i) + " " + std::to_string(members.size()) + " ";
    members += bodies[i] + " ";
  }
  std::string rows;
  const std::string plain = header + members + std::string(kColumns, ' ');
  for (std::size_t at = 0; at + kColumns <= plain.size(); at += kColumns) {
    rows += '\2';  // each row as the difference to the one above
    for (std::size_t i = at; i < at + kColumns; ++i) {
      rows += static_cast<char>(plain[i] - (i >= kColumns ? plain[i - kColumns] : 0));
    }
  }
  PdfBuilder builder;
  builder.add_stream(deflated(rows), "/Type/ObjStm/N 3/First " + std::to_string(header.size()) +
                                         "/Filter/FlateDecode/DecodeParms<</Predictor 12/Columns 16"
                                         ">>");
  builder.add_stream(text_at(72, 700, "found"));
  const std::string pdf = builder.build_with_root(10);
  EXPECT_EQ(texts(read_pdf(pdf.substr(0, pdf.find("xref")))), (Texts{"found"}));
}

TEST(Opening, EveryCutOfAFileIsAnsweredOrRead) {
  PdfBuilder builder;
  builder.add_page(text_at(72, 700, "alpha"));
  builder.add_page(text_at(72, 700, "beta"));
  const std::string pdf = builder.build();
  for (std::size_t size = 0; size < pdf.size(); size += 7) {
    try {
      const Document document = read_pdf(std::string_view(pdf).substr(0, size));
      EXPECT_FALSE(document.pages.empty());
    } catch (const OpenError& error) {
      EXPECT_FALSE(error.code.empty());
      EXPECT_FALSE(error.reason.empty());
    }
  }
}

TEST(Opening, SaysWhatAFileIsNot) {
  const auto code = [](std::string_view bytes) {
    try {
      read_pdf(bytes);
      return std::string("opened");
    } catch (const OpenError& error) {
      return error.code;
    }
  };
  EXPECT_EQ(code(""), "empty");
  EXPECT_EQ(code("This is a letter, not a PDF."), "not_pdf");
  EXPECT_EQ(code("%PDF-1.4\nnothing more"), "damaged");
}

TEST(Outline, EntriesBecomeHeadingsWhereTheirTitlesStand) {
  PdfBuilder builder;
  const int one = builder.add_page(text_at(72, 700, "1 Introduction") + text_at(72, 660, "Text."));
  const int two = builder.add_page(text_at(72, 700, "Contents, again") +
                                   text_at(72, 650, "2 Methods") + text_at(72, 600, "2.1 Data"));
  const int outline = builder.reserve();
  const int first = builder.reserve(), second = builder.reserve(), child = builder.reserve();
  builder.set(outline, "<</First " + ref(first) + "/Last " + ref(second) + ">>");
  builder.set(first,
              "<</Title(Introduction)/Dest[" + ref(one) + "/Fit]/Next " + ref(second) + ">>");
  builder.set(second, "<</Title(Methods)/A<</S/GoTo/D(m)>>/First " + ref(child) + "/Next " +
                          ref(first) + ">>");  // a cycle
  builder.set(child, "<</Title<FEFF0044006100740061>/Dest[" + ref(two) + "/Fit]>>");
  const Document document = read_pdf(builder.build(
      "/Outlines " + ref(outline) + "/Names<</Dests<</Names[(m)[" + ref(two) + "/Fit]]>>>>"));
  ASSERT_EQ(document.headings.size(), 3u);
  EXPECT_EQ(document.headings[0].title, "Introduction");
  EXPECT_EQ(document.headings[0].start, 0u);
  EXPECT_EQ(document.headings[1].title, "Methods");
  EXPECT_EQ(document.headings[1].level, 1);
  EXPECT_EQ(document.headings[2].title, "Data");
  EXPECT_EQ(document.headings[2].level, 2);
  for (const Heading& heading : document.headings) {
    const std::string line = document.text().substr(heading.start);
    EXPECT_NE(line.substr(0, line.find('\n')).find(heading.title), std::string::npos);
  }
}

}  // namespace
}  // namespace lore::ingest::pdf::test
