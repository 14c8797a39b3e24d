#include "engine/tokenizer/normalize.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace lore::test {
namespace {

using engine::BertNormalizerOptions;
using engine::BertWord;
using engine::BertWords;
using Words = std::vector<std::string>;

Words words_of(const std::string& text, const BertNormalizerOptions& options = {}) {
  BertWords reader(text, options);
  Words words;
  for (BertWord word; reader.next(word);) words.push_back(word.bytes);
  return words;
}

TEST(BertNormalizer, CutsAtWhiteSpacePunctuationAndIdeographs) {
  EXPECT_EQ(words_of("Hello, World!"), (Words{"hello", ",", "world", "!"}));
  EXPECT_EQ(words_of("a\u00a0b\u2003c\u2028d"), (Words{"a", "b", "c", "d"}));
  EXPECT_EQ(words_of("x\u65e5\u672cy"), (Words{"x", "\u65e5", "\u672c", "y"}));
  EXPECT_EQ(words_of("1+1=2\u2014ok"), (Words{"1", "+", "1", "=", "2", "\u2014", "ok"}));
  EXPECT_EQ(words_of(""), Words{});
  EXPECT_EQ(words_of(" \n\t"), Words{});
}

TEST(BertNormalizer, StripsAccentsAndFoldsCase) {
  EXPECT_EQ(words_of("\u00c9T\u00c9 e\u0301te\u0301"), (Words{"ete", "ete"}));
  EXPECT_EQ(words_of("\u0130stanbul"), (Words{"istanbul"}));
  EXPECT_EQ(words_of("\ud55c"), (Words{"\u1112\u1161\u11ab"}));  // Hangul comes apart
  EXPECT_EQ(words_of("\uf900"), (Words{"\u8c48"}));
  EXPECT_EQ(words_of("\u00c9", {.lowercase = false, .strip_accents = true}), (Words{"E"}));
  EXPECT_EQ(words_of("\u00c9", {.lowercase = true, .strip_accents = false}), (Words{"\u00e9"}));
  EXPECT_EQ(words_of("\u0130", {.lowercase = true, .strip_accents = false}), (Words{"i\u0307"}));
  EXPECT_EQ(words_of("\u00c9a", {.lowercase = false, .strip_accents = false}), (Words{"\u00c9a"}));
}

TEST(BertNormalizer, DropsControlCharactersWithinWords) {
  EXPECT_EQ(words_of(std::string("a\0b\x01", 4) + "c\u200dd\ufffde\xff"
                                                  "f"),
            (Words{"abcdef"}));
  EXPECT_EQ(words_of("a\u00ad\u200bb\ue000"), (Words{"ab"}));
  EXPECT_EQ(words_of("a\vb\u0085c"), (Words{"abc"}));  // controls before they are white space
}

TEST(BertNormalizer, FoldsTheCapitalDottedIToTwoCharacters) {
  std::string text;
  for (int i = 0; i < 300000; ++i) text += "\u0130";
  BertWords reader(text, {.lowercase = true, .strip_accents = false});
  BertWord word;
  ASSERT_TRUE(reader.next(word));  // in time that is linear in the text
  EXPECT_EQ(word.bytes.substr(0, 6), "i\u0307i\u0307");
  EXPECT_EQ(word.bytes.size(), text.size() / 2 * 3);
  EXPECT_EQ(word.characters[3].begin, 2U);
  EXPECT_EQ(word.characters[3].end, 4U);
}

TEST(BertNormalizer, KnowsWhereCharactersComeFrom) {
  const std::string text = "A\u0301\u200d\u1e69 \ud55c";
  BertWords reader(text, {});
  BertWord word;
  ASSERT_TRUE(reader.next(word));
  ASSERT_EQ(word.bytes, "as");
  EXPECT_EQ(word.characters[0].begin, 0U);
  EXPECT_EQ(word.characters[0].end, 1U);
  EXPECT_EQ(word.characters[1].begin, 6U);
  EXPECT_EQ(word.characters[1].end, 9U);
  ASSERT_TRUE(reader.next(word));
  ASSERT_EQ(word.characters.size(), 3U);  // the jamo of one syllable share its place
  EXPECT_EQ(word.characters[2].begin, 10U);
  EXPECT_EQ(word.characters[2].end, 13U);
  EXPECT_FALSE(reader.next(word));
}

/// Hugging Face's tables are those of Unicode 8, whatever came later.
TEST(BertNormalizer, KeepsToUnicode8) {
  EXPECT_EQ(words_of("a\u2e43b"), (Words{"a\u2e43b"}));          // punctuation since Unicode 9
  EXPECT_EQ(words_of("a\u08e2b"), (Words{"a\u08e2b"}));          // format character since Unicode 9
  EXPECT_EQ(words_of("a\u1df6b"), (Words{"a\u1df6b"}));          // mark since Unicode 10
  EXPECT_EQ(words_of("a\u166db"), (Words{"a", "\u166d", "b"}));  // punctuation until Unicode 11
  EXPECT_EQ(words_of("a\u0378b"), (Words{"a\u0378b"}));          // not assigned
}

}  // namespace
}  // namespace lore::test
