// The example documents, read as a user's would be, against the sources that they were made from.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "base/file.hpp"
#include "base/utf8.hpp"
#include "ingest/chunk/characters.hpp"
#include "ingest/ingest.hpp"
#include "tests/ingest/chunk/counting.hpp"
#include "tests/support/fixtures.hpp"

namespace lore::ingest {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

fs::path examples() { return test::source_dir() / "examples"; }

// Each document is read once for all tests.
const Document& read(const std::string& name) {
  static std::map<std::string, Document> documents;
  const auto found = documents.find(name);
  if (found != documents.end()) return found->second;
  ExtractOptions options;
  options.worker_command = {LORE_TEST_WORKER};
#ifdef LORE_SANITIZED
  options.memory_limit = 0;  // the address sanitizer maps terabytes
#endif
  Extraction extraction = extract(examples() / "documents" / name, options);
  if (const auto* failure = std::get_if<Failure>(&extraction)) {
    ADD_FAILURE() << name << ": " << failure->reason;
    return documents[name];
  }
  return documents[name] = std::get<Document>(std::move(extraction));
}

/// The documents, without the index that a trial of the command leaves beside them.
std::vector<fs::path> documents() {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(examples() / "documents")) {
    if (entry.is_regular_file()) paths.push_back(entry.path());
  }
  return paths;
}

std::vector<std::string> pdf_names() {
  std::vector<std::string> names;
  for (const fs::path& path : documents()) {
    if (path.extension() == ".pdf") names.push_back(path.stem().string());
  }
  return names;
}

std::vector<json> questions() {
  std::vector<json> list;
  for (const std::string& line : test::read_lines(examples() / "questions.jsonl")) {
    list.push_back(json::parse(line));
  }
  return list;
}

// Words in lower case, every ideograph a word of its own, signs left out.
std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> list;
  std::string word;
  const auto end_word = [&] {
    if (!word.empty()) list.push_back(word);
    word.clear();
  };
  for (std::size_t i = 0; i < text.size();) {
    const char32_t c = utf8::next(text, i);
    const bool ascii_letter = (c | 0x20) >= U'a' && (c | 0x20) <= U'z';
    const bool digit = c >= U'0' && c <= U'9';
    if (is_ideographic(c)) {
      end_word();
      utf8::append(word, c);
      end_word();
    } else if (digit || ascii_letter || (c >= 0xC0 && c < 0x2000)) {
      utf8::append(word, ascii_letter ? (c | 0x20) : c);
    } else {
      end_word();
    }
  }
  end_word();
  return list;
}

std::map<std::string, int> counted(const std::vector<std::string>& words) {
  std::map<std::string, int> counts;
  for (const std::string& word : words) ++counts[word];
  return counts;
}

// The share of words that stand in the same order in both: twice their longest common subsequence.
double sequence_ratio(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  std::vector<std::size_t> row(b.size() + 1, 0);
  for (const std::string& word : a) {
    std::size_t diagonal = 0;
    for (std::size_t i = 0; i < b.size(); ++i) {
      const std::size_t above = row[i + 1];
      row[i + 1] = word == b[i] ? diagonal + 1 : std::max(above, row[i]);
      diagonal = above;
    }
  }
  return 2.0 * static_cast<double>(row.back()) / static_cast<double>(a.size() + b.size());
}

// A source without its markup; examples/make/source.py describes it.
std::string source_text(const fs::path& path) {
  std::string text;
  for (std::string line : test::read_lines(path)) {
    if (line.rfind("@field ", 0) == 0) {
      line.erase(0, 7);
    } else if (line.rfind('@', 0) == 0) {
      continue;
    }
    text += line + "\n";
  }
  return text;
}

// The harmonic mean of the shares of words that were found and that are right.
double word_f1(const std::map<std::string, int>& expected,
               const std::map<std::string, int>& found) {
  int common = 0;
  int expected_total = 0;
  int found_total = 0;
  for (const auto& [word, count] : expected) {
    expected_total += count;
    const auto other = found.find(word);
    if (other != found.end()) common += std::min(count, other->second);
  }
  for (const auto& [word, count] : found) found_total += count;
  return 2.0 * common / (expected_total + found_total);
}

std::string difference(const std::map<std::string, int>& expected,
                       const std::map<std::string, int>& found) {
  std::string text;
  std::set<std::string> all;
  for (const auto& [word, count] : expected) all.insert(word);
  for (const auto& [word, count] : found) all.insert(word);
  for (const std::string& word : all) {
    const int more =
        (found.count(word) ? found.at(word) : 0) - (expected.count(word) ? expected.at(word) : 0);
    if (more != 0) text += " " + word + (more > 0 ? "+" : "") + std::to_string(more);
  }
  return text;
}

std::string single_spaced(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const bool space = c == ' ' || c == '\t' || c == '\n';
    if (!space) {
      result += c;
    } else if (!result.empty() && result.back() != ' ') {
      result += ' ';
    }
  }
  return result;
}

TEST(Examples, PdfTextIsThatOfTheSources) {
  int compared = 0;
  for (const std::string& name : pdf_names()) {
    if (name == "lease-scan") continue;
    const auto source = words(source_text(examples() / "sources" / (name + ".txt")));
    const auto text = words(read(name + ".pdf").text());
    EXPECT_GE(sequence_ratio(source, text), 0.9) << name;
    const auto expected = counted(source);
    const auto found = counted(text);
    EXPECT_GE(word_f1(expected, found), 0.97) << name << ":" << difference(expected, found);
    ++compared;
  }
  EXPECT_GE(compared, 9);
}

TEST(Examples, EvidenceStandsOnTheRightPage) {
  for (const json& question : questions()) {
    if (!question["answerable"].get<bool>()) continue;
    const Document& document = read(question["document"].get<std::string>());
    const auto page = question["page"].get<std::size_t>();
    ASSERT_LE(page, document.pages.size()) << question["id"];
    EXPECT_THAT(single_spaced(document.pages[page - 1].text),
                HasSubstr(question["evidence"].get<std::string>()))
        << question["id"];
  }
}

TEST(Examples, HyphenatedWordsOfColumnsAreWhole) {
  const auto found = counted(words(read("storage-paper.pdf").text()));
  for (const char* word :
       {"aluminium", "electrolyte", "september", "temperature", "hexafluorophosphate"})
    EXPECT_GE(found.count(word), 1u) << word;
}

TEST(Examples, PagesAndLabels) {
  std::vector<std::string> labels;
  for (const Page& page : read("pump-manual.pdf").pages) labels.push_back(page.label);
  EXPECT_THAT(labels, ElementsAre("i", "ii", "1", "2", "3", "4", "5"));
  const std::map<std::string, std::size_t> pages = {
      {"allotment-minutes", 3}, {"bridge-report", 4},      {"jingshuiqi-shuoming", 3},
      {"lease-scan", 2},        {"sensor-datasheet", 3},   {"storage-paper", 3},
      {"travel-form", 2},       {"ventilation-manual", 4}, {"waschmaschine-anleitung", 3}};
  for (const auto& [name, count] : pages) {
    EXPECT_EQ(read(name + ".pdf").pages.size(), count) << name;
    EXPECT_TRUE(read(name + ".pdf").paged) << name;
  }
}

TEST(Examples, TheScanIsSaidToBeOne) {
  for (const Page& page : read("lease-scan.pdf").pages) {
    EXPECT_EQ(page.state, PageState::image_only);
    EXPECT_EQ(page.text, "");
  }
}

TEST(Examples, TheEncryptedFileIsReadWithoutAPassword) {
  const std::string bytes = read_file(examples() / "documents" / "sensor-datasheet.pdf");
  EXPECT_THAT(bytes, HasSubstr("/Encrypt"));
  EXPECT_EQ(bytes.find("Piezoresistive"), std::string::npos);
  EXPECT_THAT(read("sensor-datasheet.pdf").text(), HasSubstr("Piezoresistive"));
}

TEST(Examples, TitlesAndHeadingsAreKnown) {
  EXPECT_EQ(read("jingshuiqi-shuoming.pdf").title, "清泉 QQ-600 净水器使用说明书");
  EXPECT_EQ(read("kitchen-handbook.md").title, "Handbook of the Larkfield Community Kitchen");
  EXPECT_EQ(read("internet-help.html").title, "Willowbrook Broadband: Help with your router");
  EXPECT_EQ(read("observatory-log.txt").title, "Night log of the Fellside Observatory");
  const std::map<std::string, std::string> headings = {
      {"ventilation-manual.pdf", "Fault list"},
      {"storage-paper.pdf", "3.1 Recoverable loss"},
      {"pump-manual.pdf", "4 Alarms"},
      {"waschmaschine-anleitung.pdf", "Störungen"},
      {"sensor-datasheet.pdf", "Zero function"},
      {"allotment-minutes.pdf", "8 Elections"},
      {"internet-help.html", "Prices"},
      {"kitchen-handbook.md", "Quantities"},
      {"observatory-log.txt", "19 January 2024"},
      {"jingshuiqi-shuoming.pdf", "故障代码"}};
  for (const auto& [name, title] : headings) {
    bool found = false;
    for (const Heading& heading : read(name).headings) found = found || heading.title == title;
    EXPECT_TRUE(found) << name << ": " << title;
  }
}

TEST(Examples, HiddenTextOfHtmlIsLeftOut) {
  EXPECT_EQ(read("internet-help.html").text().find("Internal note"), std::string::npos);
}

TEST(Examples, ChunksQuoteTheirDocuments) {
  const auto count = [](std::string_view text) { return test::count_word_pieces(text); };
  for (const fs::path& path : documents()) {
    const Document& document = read(path.filename().string());
    const std::string text = document.text();
    std::vector<bool> covered(utf8::length(text), false);
    for (const Chunk& c : chunk(document, {}, count)) {
      EXPECT_EQ(c.body, utf8::slice(text, c.start, c.end));
      EXPECT_LE(c.tokens, 256u);
      std::fill(covered.begin() + static_cast<std::ptrdiff_t>(c.start),
                covered.begin() + static_cast<std::ptrdiff_t>(c.end), true);
    }
    std::size_t position = 0;
    std::string lost;
    for (const char32_t c : utf8::decode(text)) {
      if (!covered[position++] && !is_white_space(c)) utf8::append(lost, c);
    }
    EXPECT_EQ(lost, "") << path;
  }
}

TEST(Examples, QuestionsAreComplete) {
  std::set<std::string> ids;
  int answerable = 0;
  std::vector<bool> quickstart;
  for (const json& question : questions()) {
    EXPECT_TRUE(ids.insert(question["id"].get<std::string>()).second) << question["id"];
    EXPECT_NE(question["question"].get<std::string>(), "");
    const bool can = question["answerable"].get<bool>();
    answerable += can ? 1 : 0;
    EXPECT_EQ(question["document"].is_string(), can) << question["id"];
    EXPECT_EQ(question["answer"].is_string(), can) << question["id"];
    if (question.value("quickstart", false)) quickstart.push_back(can);
  }
  EXPECT_EQ(ids.size(), 25u);
  EXPECT_EQ(answerable, 20);
  EXPECT_THAT(quickstart, ElementsAre(true, true, false));
}

TEST(Examples, FilesAreFewMegabytes) {
  std::uintmax_t bytes = 0;
  for (const fs::path& path : documents()) bytes += fs::file_size(path);
  EXPECT_LE(bytes, 3'000'000u);
}

}  // namespace
}  // namespace lore::ingest
