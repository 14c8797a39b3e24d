// 25 public PDFs through the real worker, compared with an independent reader (pdftotext).
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <utf8proc.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <sstream>

#include "base/utf8.hpp"
#include "ingest/worker/worker.hpp"
#include "tests/support/fixtures.hpp"

namespace lore::ingest {
namespace {

ExtractOptions options() {
  ExtractOptions out;
  out.worker_command = {LORE_SCRIPTED_WORKER, "real"};
  return out;
}

/// What the data's description says of a file, and words that pdftotext finds in it, too.
struct Expected {
  const char* file;
  std::size_t pages;
  std::vector<const char*> texts;
  double word_score = 0.95;  ///< least F1 over the bags of words; 0 where the readers differ
};

void PrintTo(const Expected& expected, std::ostream* out) { *out << expected.file; }

const Expected kFiles[] = {
    {"multicolumn.pdf", 3, {"Two-Column Document", "Phasellus adipiscing semper elit"}},
    {"pdflatex-4-pages.pdf", 4, {"Hello, here is some text without a meaning"}},
    {"google-doc-document.pdf", 1, {"Beautiful is better than ugly", "Example document"}},
    {"habibi.pdf", 1, {"حَبيبي", "habibi"}, 0},
    {"r3-empty-password.pdf", 1, {"pdf encryption test\npassword: asdfzxcv"}},
    {"r6-empty-password.pdf", 1, {"pdf encryption test\npassword: asdfzxcv"}},
    {"toy.pdf", 1, {"AWAY again1", "Single quote operator"}},
    {"Seige_of_Vicksburg_Sample_OCR.pdf",
     6,
     {"THE SIEGE OF VICKSBURG", "conspicuous and dangerous"}},
    {"pdflatex-outline.pdf", 4, {"Contents", "Hello, here is some text without a meaning"}},
    {"GeoBase_NHNC1_Data_Model_UML_EN.pdf",
     19,
     {"National Hydro Network, Canada, Level 1", "The Linear Reference System (LRS)"}},
    {"pagelabels.pdf", 5, {"First section", "Heading on Level 1 (section)"}},
    {"jo.pdf", 1, {"序", "わたくしといふ現象は\n假定された有機交流電燈の"}},
    {"zen_of_python_corrupted.pdf", 1, {"Beautiful is better than ugly."}},
    {"PDFBOX-2984-rotations.pdf", 6, {"90° text matrix", "270° ctm"}},
    {"PDFBOX-4417-001031.pdf", 4, {"Improving Generic Drug Review Performance"}},
    {"multitiff.pdf", 3, {}},
    {"TextExtractionPredefinedCmap.pdf", 1, {"全省环岛天然气管网尚未成型"}},
    {"TestXRefRecovery2.pdf", 1, {"PDF:B"}},
    {"issue9105_reduced.pdf", 1, {"Issue 9105"}},
    {"bug1606566.pdf", 1, {"Bug 1606566"}},
    {"Pages-tree-refs.pdf", 1, {"Pages loop"}},
    {"bomb_giant.pdf", 1, {"GIANT JBIG2 BOMB", "1.16GB each"}, 0},
    {"annotation-text-widget.pdf", 1, {"Single line, length 10", "Lorem ipsum dolor sit amet"}},
    {"freetexts.pdf", 1, {"Hello World from Acrobat", "Hello World from\nOkular"}},
    {"issue6108.pdf", 1, {"ASCIIHexDecode filter, small Length, size diff is more than 135 bytes"}},
};

std::map<std::string, int> bag_of_words(const std::string& text) {
  std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> normal(
      utf8proc_NFKC(reinterpret_cast<const utf8proc_uint8_t*>(text.c_str())), &std::free);
  std::map<std::string, int> bag;
  std::istringstream words(normal ? reinterpret_cast<const char*>(normal.get()) : "");
  for (std::string word; words >> word;) ++bag[word];
  return bag;
}

/// Twice the shared words over all words; 1 for equal bags.
double word_f1(const std::string& one, const std::string& other) {
  const auto first = bag_of_words(one), second = bag_of_words(other);
  double shared = 0, all = 0;
  for (const auto& [word, count] : first) {
    all += count;
    const auto found = second.find(word);
    if (found != second.end()) shared += std::min(count, found->second);
  }
  for (const auto& [word, count] : second) all += count;
  return all == 0 ? 1 : 2 * shared / all;
}

/// The output of pdftotext, or nothing where it is not installed.
std::optional<std::string> pdftotext(const std::filesystem::path& path) {
  if (std::system("pdftotext -v >/dev/null 2>&1") != 0) return std::nullopt;
  const std::string command = "timeout 60 pdftotext -q '" + path.string() + "' - 2>/dev/null";
  std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen(command.c_str(), "r"), &::pclose);
  if (pipe == nullptr) return std::nullopt;
  std::string out;
  char buffer[65536];
  for (std::size_t count; (count = std::fread(buffer, 1, sizeof buffer, pipe.get())) > 0;) {
    out.append(buffer, count);
  }
  return out;
}

class Corpus : public testing::TestWithParam<Expected> {};

TEST_P(Corpus, IsReadAsItsDescriptionSays) {
  const Expected& expected = GetParam();
  LORE_REQUIRE_SHARED(path, std::string("pdf/") + expected.file);
  const auto start = std::chrono::steady_clock::now();
  const Extraction result = extract_in_worker(path, Format::pdf, options());
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
  ASSERT_TRUE(std::holds_alternative<Document>(result)) << std::get<Failure>(result).reason;
  const auto& document = std::get<Document>(result);
  EXPECT_EQ(document.pages.size(), expected.pages);
  const std::string text = document.text();
  EXPECT_TRUE(utf8::is_valid(text));
  for (const Page& page : document.pages) {
    EXPECT_EQ(page.text.find('\f'), std::string::npos);
    EXPECT_EQ(page.text.find('\0'), std::string::npos);
    EXPECT_NE(page.state, PageState::failed) << page.note;
    EXPECT_FALSE(page.label.empty());
  }
  for (const char* wanted : expected.texts) {
    EXPECT_NE(text.find(wanted), std::string::npos) << "not in the text: " << wanted;
  }
  if (expected.word_score == 0) return;
  const auto independent = pdftotext(path);
  if (!independent) GTEST_SKIP() << "pdftotext (poppler-utils) is not installed: not compared";
  EXPECT_GE(word_f1(text, *independent), expected.word_score);
}

INSTANTIATE_TEST_SUITE_P(Files, Corpus, testing::ValuesIn(kFiles), [](const auto& value) {
  std::string name = value.param.file;
  for (char& c : name) {
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  }
  return name;
});

Document read(const std::filesystem::path& path) {
  return std::get<Document>(extract_in_worker(path, Format::pdf, options()));
}

TEST(CorpusDetails, PageLabelsDifferFromPageNumbers) {
  LORE_REQUIRE_SHARED(path, "pdf/pagelabels.pdf");
  std::vector<std::string> labels;
  for (const Page& page : read(path).pages) labels.push_back(page.label);
  EXPECT_EQ(labels, (std::vector<std::string>{"iii", "iv", "1", "2", "1"}));
}

TEST(CorpusDetails, ScannedPagesAreSaidToBeScanned) {
  LORE_REQUIRE_SHARED(path, "pdf/multitiff.pdf");
  for (const Page& page : read(path).pages) EXPECT_EQ(page.state, PageState::image_only);
  LORE_REQUIRE_SHARED(scan, "pdf/Seige_of_Vicksburg_Sample_OCR.pdf");
  for (const Page& page : read(scan).pages) EXPECT_EQ(page.state, PageState::text);
}

TEST(CorpusDetails, ColumnsAndHyphensOfATwoColumnPaper) {
  LORE_REQUIRE_SHARED(path, "pdf/multicolumn.pdf");
  const std::string page = read(path).pages.at(0).text;
  const std::size_t end_of_left = page.find("Vivamus viverra fermentum felis");
  const std::size_t start_of_right = page.find("Phasellus adipiscing semper elit");
  ASSERT_NE(end_of_left, std::string::npos);
  ASSERT_NE(start_of_right, std::string::npos);
  EXPECT_LT(end_of_left, start_of_right);
  EXPECT_NE(page.find("sollicitudin\nvel"), std::string::npos);  // "sollici-tudin" in print
  EXPECT_EQ(page.find('\t'), std::string::npos) << "running text has no cells";
}

TEST(CorpusDetails, TheOutlineGivesHeadings) {
  LORE_REQUIRE_SHARED(path, "pdf/pdflatex-outline.pdf");
  const Document document = read(path);
  const std::string text = document.text();
  ASSERT_EQ(document.headings.size(), 9u);
  std::size_t before = 0;
  for (const Heading& heading : document.headings) {
    EXPECT_GE(heading.start, before);
    before = heading.start;
    const std::string_view line = utf8::slice(text, heading.start, heading.start + 12);
    EXPECT_NE(line.find(heading.title), std::string_view::npos) << heading.title;
  }
}

TEST(CorpusDetails, RowsOfATableAndRunningHeadersOfAReport) {
  LORE_REQUIRE_SHARED(path, "pdf/GeoBase_NHNC1_Data_Model_UML_EN.pdf");
  const Document document = read(path);
  EXPECT_NE(document.text().find("August 2004\t2004.1\tThe object metadata attribute « date » is "
                                 "renamed « validity_date » in section 3.1.6.2"),
            std::string::npos);
  bool overview = false;
  for (const Heading& heading : document.headings) {
    EXPECT_EQ(heading.title.find("GeoBase"), std::string::npos) << heading.title;
    overview = overview || heading.title == "1 Overview";
  }
  EXPECT_TRUE(overview);
}

TEST(CorpusDetails, ADamagedContentStreamIsReadAsFarAsItGoes) {
  LORE_REQUIRE_SHARED(path, "pdf/zen_of_python_corrupted.pdf");
  const Document document = read(path);
  EXPECT_NE(document.pages.at(0).note, "");
  EXPECT_NE(document.text().find("Although never is often better than *right* now."),
            std::string::npos);
}

TEST(CorpusDetails, SpeedIsPrinted) {
  const char* files[] = {"multicolumn.pdf",
                         "pdflatex-4-pages.pdf",
                         "PDFBOX-4417-001031.pdf",
                         "GeoBase_NHNC1_Data_Model_UML_EN.pdf",
                         "Seige_of_Vicksburg_Sample_OCR.pdf",
                         "pdflatex-outline.pdf"};
  std::size_t pages = 0;
  rusage before{}, after{};
  ::getrusage(RUSAGE_CHILDREN, &before);
  for (const char* file : files) {
    LORE_REQUIRE_SHARED(path, std::string("pdf/") + file);
    pages += read(path).pages.size();
  }
  ::getrusage(RUSAGE_CHILDREN, &after);
  const auto seconds = [](const rusage& usage) {
    return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
  };
  const double spent = seconds(after) - seconds(before);
  std::printf(
      "%zu pages of %zu documents, a process each: %.0f pages per second of processor time\n",
      pages, std::size(files), static_cast<double>(pages) / spent);
#ifndef LORE_SANITIZED
  EXPECT_GT(static_cast<double>(pages) / spent, 50) << "far below what it should be";
#endif
}

}  // namespace
}  // namespace lore::ingest
