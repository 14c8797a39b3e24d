// What must hold for every chunk of every text, whatever the tokenizer: checked on random documents
// of several languages and page layouts.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "base/utf8.hpp"
#include "ingest/chunk/characters.hpp"
#include "ingest/ingest.hpp"
#include "tests/ingest/chunk/counting.hpp"

namespace lore::ingest {
namespace {

struct Counter {
  const char* name;
  std::size_t (*count)(std::string_view);
  bool additive;  // the count of a whole is at most the sum of its sentences'
};

constexpr Counter kCounters[] = {
    {"word_pieces", test::count_word_pieces, true},
    {"bytes", test::count_bytes, false},
    {"rounded", test::count_rounded, false},
    {"words", test::count_words, false},
};

class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}

  Document document() {
    Document document;
    document.format = below(2) ? Format::pdf : Format::markdown;
    if (below(3)) document.title = sentence();
    const unsigned pages = 1 + below(6);
    std::size_t before = 0;
    for (unsigned i = 0; i < pages; ++i) {
      Page page;
      page.label = std::to_string(i + 1);
      const unsigned blocks = below(9);
      for (unsigned k = 0; k < blocks; ++k) add_block(document, page.text, before);
      before += utf8::length(page.text) + 1;
      document.pages.push_back(std::move(page));
    }
    return document;
  }

 private:
  unsigned below(unsigned limit) { return static_cast<unsigned>(random_() % limit); }

  std::string word() {
    static const std::vector<std::string> vocabulary = {
        "pressure",    "the",     "valve",    "Ölstand", "Wartung",
        "überprüfen",  "l’écran", "niño",     "3.5",     "e.g.",
        "No.",         "A-17",    "давление", "насос",   "ضغط",
        "الماء",       "दबाव",    "ความดัน",   "a",       "I",
        "rotor",       "2,000",   "(bar)",    "naïve",   "e\u0301te\u0301",
        "👩‍🔧", "x\u00A0y"};
    return vocabulary[below(static_cast<unsigned>(vocabulary.size()))];
  }

  std::string cjk_sentence() {
    static const std::vector<std::string> parts = {"泵的",   "额定", "压力", "为", "十二", "巴",
                                                   "ポンプ", "の",   "圧力", "を", "確認", "する"};
    std::string text;
    for (unsigned i = 0, n = 2 + below(40); i < n; ++i) {
      text += parts[below(static_cast<unsigned>(parts.size()))];
      if (below(12) == 0) text += "，";
    }
    return text + "。";
  }

  std::string sentence() {
    if (below(5) == 0) return cjk_sentence();
    std::string text;
    const unsigned words = below(20) == 0 ? 200 : 1 + below(25);
    for (unsigned i = 0; i < words; ++i) {
      if (i > 0) text += below(12) == 0 ? ", " : below(9) == 0 ? "\n" : " ";
      text += below(150) == 0 ? std::string(1 + below(900), 'q') : word();
    }
    return text + (below(4) == 0 ? "" : below(2) ? "." : "?");
  }

  void add_block(Document& document, std::string& text, std::size_t before) {
    if (!text.empty()) text += below(3) ? "\n\n" : "\n";
    switch (below(7)) {
      case 0:
        document.headings.push_back(
            {1 + static_cast<int>(below(3)), "Section " + word(), before + utf8::length(text)});
        text += "Section " + word();
        break;
      case 1:
        for (unsigned i = 0, n = 1 + below(8); i < n; ++i) text += "- " + sentence() + "\n";
        break;
      case 2:
        for (unsigned i = 0, n = 1 + below(12); i < n; ++i)
          text += "E" + std::to_string(i) + "\t" + word() + " " + word() + "\t" + word() + "\n";
        break;
      case 3:
        text += "```\n";
        for (unsigned i = 0, n = below(20); i < n; ++i) text += "  x = f(" + word() + ");\n";
        text += below(4) ? "```\n" : "";
        break;
      default:
        for (unsigned i = 0, n = 1 + below(12); i < n; ++i) text += sentence() + " ";
    }
  }

  std::mt19937 random_;
};

bool joins_word(char32_t c) {
  return !is_white_space(c) && !is_ideographic(c) && !is_cjk_punctuation(c);
}

// Whether a cut before code point `at` parts a word that would fit alone.
bool cuts_fitting_word(const std::vector<char32_t>& text, std::size_t at, std::size_t room,
                       std::size_t (*count)(std::string_view)) {
  if (at == 0 || at == text.size()) return false;
  if (!joins_word(text[at - 1]) || !joins_word(text[at])) return false;
  std::size_t begin = at;
  std::size_t end = at;
  while (begin > 0 && joins_word(text[begin - 1])) --begin;
  while (end < text.size() && joins_word(text[end])) ++end;
  const std::vector<char32_t> word(text.begin() + static_cast<std::ptrdiff_t>(begin),
                                   text.begin() + static_cast<std::ptrdiff_t>(end));
  const std::string bytes = utf8::encode(word);
  return count(bytes) <= room && bytes.size() <= room;
}

void check(const Document& document, const ChunkOptions& options, const Counter& counter) {
  const std::string text = document.text();
  const std::vector<char32_t> characters = utf8::decode(text);
  std::vector<std::size_t> page_of(characters.size() + 1, 0);
  for (std::size_t i = 0; i < characters.size(); ++i)
    page_of[i + 1] = page_of[i] + (characters[i] == U'\f' ? 1 : 0);
  std::vector<bool> covered(characters.size(), false);

  const std::vector<Chunk> chunks =
      chunk(document, options, [&](std::string_view part) { return counter.count(part); });
  std::size_t previous_start = 0;
  std::size_t previous_end = 0;
  for (const Chunk& c : chunks) {
    ASSERT_LT(c.start, c.end);
    ASSERT_LE(c.end, characters.size());
    ASSERT_EQ(c.body, utf8::slice(text, c.start, c.end));
    ASSERT_EQ(c.tokens, counter.count(c.context + "\n" + c.body));
    ASSERT_LE(c.tokens, options.max_tokens) << c.body;
    ASSERT_FALSE(is_white_space(characters[c.start]));
    ASSERT_FALSE(is_white_space(characters[c.end - 1]));
    ASSERT_EQ(c.page, page_of[c.start]);
    ASSERT_EQ(c.page_end, page_of[c.end - 1]);
    ASSERT_EQ(c.context.find_first_of("\n\f"), std::string::npos);
    ASSERT_GE(c.start, previous_start);
    ASSERT_GT(c.end, previous_end);
    if (options.overlap_tokens == 0) {
      ASSERT_GE(c.start, previous_end);
    }
    // A word over half of a chunk may meet a heading's context line that leaves too little room.
    const std::size_t room = options.max_tokens / 2;
    if (counter.additive) {
      ASSERT_FALSE(cuts_fitting_word(characters, c.start, room, counter.count)) << c.body;
      ASSERT_FALSE(cuts_fitting_word(characters, c.end, room, counter.count)) << c.body;
    }
    std::fill(covered.begin() + static_cast<std::ptrdiff_t>(c.start),
              covered.begin() + static_cast<std::ptrdiff_t>(c.end), true);
    previous_start = c.start;
    previous_end = c.end;
  }
  for (std::size_t i = 0; i < characters.size(); ++i)
    ASSERT_TRUE(covered[i] || is_white_space(characters[i])) << "code point " << i;
}

#ifdef LORE_SANITIZED
constexpr unsigned kDocuments = 15;
#else
constexpr unsigned kDocuments = 50;
#endif

class ChunkProperties : public ::testing::TestWithParam<Counter> {};

TEST_P(ChunkProperties, HoldOnRandomDocuments) {
  for (unsigned seed = 0; seed < kDocuments; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Document document = Generator(seed).document();
    for (const std::size_t max_tokens : {std::size_t{16}, std::size_t{64}, std::size_t{256}}) {
      ChunkOptions options;
      options.max_tokens = max_tokens;
      options.overlap_tokens = seed % 3 == 0 ? max_tokens / 5 : 0;
      ASSERT_NO_FATAL_FAILURE(check(document, options, GetParam()));
    }
  }
}

// The work of counting is a small multiple of the text, whatever its shape.
TEST_P(ChunkProperties, CountsEachTextAFewTimes) {
  const std::vector<std::string> shapes = {
      [] {
        std::string s;
        for (int i = 0; i < 4000; ++i) s += "The pump stops at 12 bar. ";
        return s;
      }(),
      [] {
        std::string s;
        for (int i = 0; i < 20000; ++i) s += "word ";
        return s;
      }(),
      std::string(100000, 'x'),
      [] {
        std::string s;
        for (int i = 0; i < 30000; ++i) s += "压";
        return s;
      }(),
      [] {
        std::string s;
        for (int i = 0; i < 20000; ++i) s += "a\n\n";
        return s;
      }(),
  };
  for (const std::string& text : shapes) {
    Document document;
    document.title = "A title";
    document.pages.push_back({});
    document.pages[0].text = text;
    std::size_t counted = 0;
    const auto count = [&](std::string_view part) {
      counted += part.size();
      return GetParam().count(part);
    };
    chunk(document, {}, count);
    EXPECT_LE(counted, 6 * text.size()) << text.substr(0, 20);
  }
}

INSTANTIATE_TEST_SUITE_P(Counters, ChunkProperties, ::testing::ValuesIn(kCounters),
                         [](const auto& counter) { return std::string(counter.param.name); });

}  // namespace
}  // namespace lore::ingest
