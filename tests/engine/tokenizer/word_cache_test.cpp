// What makes tokenizers fast must not change what they give.
#include "engine/tokenizer/word_cache.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <thread>

#include "engine/tokenizer/character_pairs.hpp"
#include "tests/engine/tokenizer/synthetic.hpp"
#include "tests/engine/tokenizer/tokenizer_fixtures.hpp"

namespace lore::test {
namespace {

using engine::CharacterPairs;
using engine::EncodeOptions;
using engine::TokenId;
using engine::Tokenizer;
using engine::WordCache;
using Ids = std::vector<TokenId>;

WordCache::Key key_of(const std::string& word) { return WordCache::key_of(word, 0, word.size()); }

/// Ids that name the word: no two words have the same.
Ids ids_of(std::size_t word) {
  const auto id = static_cast<TokenId>(word);
  Ids ids(1 + word % WordCache::kMostIds);
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = id + static_cast<TokenId>(i);
  return ids;
}

TEST(WordCache, GivesBackWhatWasPut) {
  WordCache cache;
  for (std::size_t length = 1; length <= WordCache::kMostBytes; ++length) {
    const std::string word(length, 'x');
    Ids ids = {-1};
    EXPECT_FALSE(cache.find(key_of(word), ids));
    cache.put(key_of(word), ids_of(length));
    EXPECT_TRUE(cache.find(key_of(word), ids));
    Ids expected = {-1};
    for (const TokenId id : ids_of(length)) expected.push_back(id);
    EXPECT_EQ(ids, expected);  // appended
    // The same word inside of a longer text.
    const std::string text = "yx" + word + std::string(40, 'x');
    ids.clear();
    EXPECT_TRUE(cache.find(WordCache::key_of(text, 2, length), ids));
    EXPECT_EQ(ids, ids_of(length));
  }
}

TEST(WordCache, TellsZerosFromNothing) {
  WordCache cache;
  Ids ids;
  cache.put(key_of("a"), Ids{1});
  EXPECT_FALSE(cache.find(key_of(std::string("a\0", 2)), ids));
  EXPECT_FALSE(cache.find(key_of(std::string("\0", 1)), ids));
}

TEST(WordCache, KeepsNeitherNothingNorTooMuch) {
  WordCache cache;
  Ids ids;
  cache.put(key_of("a"), Ids{});
  cache.put(key_of("b"), Ids(WordCache::kMostIds + 1, 1));
  EXPECT_FALSE(cache.find(key_of("a"), ids));
  EXPECT_FALSE(cache.find(key_of("b"), ids));
}

TEST(WordCache, ForgetsButNeverConfuses) {
  WordCache cache;
  std::size_t known = 0;
  constexpr std::size_t kWords = 200000;
  for (std::size_t i = 0; i < kWords; ++i) cache.put(key_of(std::to_string(i)), ids_of(i));
  for (std::size_t i = 0; i < kWords; ++i) {
    Ids ids;
    if (!cache.find(key_of(std::to_string(i)), ids)) continue;
    ASSERT_EQ(ids, ids_of(i));
    ++known;
  }
  EXPECT_GT(known, 20000U);
  EXPECT_LT(known, kWords / 2);
}

TEST(WordCache, ThreadsSeeWholeEntriesOnly) {
  WordCache cache;
  const auto work = [&cache](std::size_t seed) {
    std::mt19937 random(static_cast<std::mt19937::result_type>(seed));
    for (int i = 0; i < 200000; ++i) {
      const std::size_t word = random() % 300000;
      const auto key = key_of("a word, " + std::to_string(word));
      Ids ids;
      if (cache.find(key, ids)) {
        ASSERT_EQ(ids, ids_of(word));
      } else {
        cache.put(key, ids_of(word));
      }
    }
  };
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < 3; ++i) threads.emplace_back(work, i);
}

TEST(CharacterPairs, CutsWhereNoTokenHoldsBothSides) {
  CharacterPairs pairs(3);
  pairs.add("\u2581ab");
  pairs.add("a\u00e9");
  pairs.add("\u65e5\u672c");
  const auto cut = [&](const std::string& text, bool prefix) {
    return pairs.stretch_end(text, 0, prefix);
  };
  EXPECT_EQ(cut(" abab", false), 3U);  // no token holds "ba"
  EXPECT_EQ(cut("\u2581ab", false), 5U);
  EXPECT_EQ(cut("abab", true), 2U);
  EXPECT_EQ(cut("bab", true), 0U);
  EXPECT_EQ(cut("a\u00e9", false), 3U);
  EXPECT_EQ(cut("\u65e5\u672c", false), 6U);
  EXPECT_EQ(cut("a", false), 1U);
  // The pairs of other characters are hashes: most of those that nobody added are not there.
  std::size_t cuts = 0;
  for (char32_t c = 0x4E00; c < 0x4E00 + 100; ++c) {
    std::string text = "a";
    text += static_cast<char>(0xE4);
    text += static_cast<char>(0xB8 + (c - 0x4E00) / 64);
    text += static_cast<char>(0x80 + (c - 0x4E00) % 64);
    cuts += cut(text, false) == 1 ? 1U : 0U;
  }
  EXPECT_GT(cuts, 80U);
}

struct Kind {
  const char* name;
  std::function<std::unique_ptr<const Tokenizer>()> make;
  bool lossless;
};

std::ostream& operator<<(std::ostream& out, const Kind& kind) { return out << kind.name; }

class AllTokenizers : public testing::TestWithParam<Kind> {};

/// encode() works without the memory of words: what it gives is what ids() must give, when a word
/// is new and when it is known.
void expect_same(const Tokenizer& tokenizer, const std::string& text) {
  for (const bool parse : {false, true}) {
    const EncodeOptions options{.add_special = true, .parse_special = parse};
    const auto expected = tokenizer.encode(text, options).ids;
    ASSERT_EQ(tokenizer.ids(text, options), expected) << text;
    ASSERT_EQ(tokenizer.ids(text, options), expected) << text;
    ASSERT_EQ(tokenizer.count(text, options), expected.size());
  }
}

TEST_P(AllTokenizers, IdsAloneAreThoseWithSpans) {
  const auto tokenizer = GetParam().make();
  std::mt19937 random(21);
  const std::vector<std::string> parts = {"a",        "b",       "ab",
                                          "B",        " ",       "  ",
                                          "\n",       "\t",      "1",
                                          "23",       "!",       "'s",
                                          "\u00c9",   "e\u0301", "\u0301",
                                          "\u65e5",   "\u672c",  "\u3002",
                                          "\u00a0",   "\u2581",  "\u0130",
                                          "\u200d",   "\ud55c",  "\U0001F600",
                                          "\u4dc0",   "\uf900",  "\xff",
                                          "\xe4\xb8", "\xe2",    "\x01",
                                          "<|x|>",    "[CLS]",   "abababababababababababab"};
  for (int i = 0; i < 3000; ++i) expect_same(*tokenizer, random_text(random, parts, 12));
  for (int i = 0; i < 2000; ++i) {
    std::string bytes;
    for (int k = 0; k < 30; ++k) bytes.push_back(static_cast<char>(random() & 0xFFU));
    expect_same(*tokenizer, bytes);
  }
}

/// Texts that punish what is square in their length: with that, none of these would end in the
/// time that a test has.
TEST_P(AllTokenizers, LongTextsOfOneKindEnd) {
  const auto tokenizer = GetParam().make();
  constexpr std::size_t kSize = 2U << 20U;
  std::mt19937 random(22);
  std::string bytes;
  for (std::size_t i = 0; i < kSize; ++i) bytes.push_back(static_cast<char>(random() & 0xFFU));
  for (const std::string& text :
       {std::string(kSize, 'a'), std::string(kSize, ' '), std::string(kSize, '\n'),
        std::string(kSize, '!'), std::string(kSize, '1'), std::string(kSize, '\x80'), bytes,
        random_text(random, {"\u65e5", "\u672c", "\u8a9e"}, kSize / 3),
        random_text(random, {"a", "b"}, kSize), random_text(random, {" ", "\n"}, kSize),
        random_text(random, {"e", "\u0301", "\u0323"}, kSize / 2)}) {
    const auto ids = tokenizer->ids(text, {.add_special = false, .parse_special = false});
    EXPECT_LE(ids.size(), text.size() + 1);
    EXPECT_TRUE(!GetParam().lossless || tokenizer->decode(ids, false) == text);
  }
}

std::unique_ptr<const Tokenizer> wordpiece() {
  return Tokenizer::from_metadata(wordpiece_metadata(
      {"[UNK]", "[CLS]", "[SEP]",    "a",      "ab",       "##b",      "##ab",   "e",
       "##e",   "!",     "'",        "s",      "\u65e5",   "##\u65e5", "\u0301", "1",
       "##2",   "i",     "##\u0307", "\u1112", "##\u1161", "\u3002"}));
}
std::unique_ptr<const Tokenizer> sentencepiece() {
  return Tokenizer::from_metadata(sentencepiece_metadata({{"\u2581", -1},
                                                          {"a", -2},
                                                          {"b", -2},
                                                          {"\u2581a", -3},
                                                          {"ab", -4},
                                                          {"aba", -5},
                                                          {"a\u2581", -5},
                                                          {"\n\n", 0, 4},
                                                          {"\u65e5\u672c", -3},
                                                          {"\u65e5", -3},
                                                          {"\u672c", -3},
                                                          {"!\u3002", -3},
                                                          {"\u2581\u2581", -6}}));
}
Kind byte_pair(const char* name) {
  return {
      name,
      [name] {
        return Tokenizer::from_metadata(byte_pair_metadata(
            {"a b", "Ġ a", "Ġ Ġ", "ab ab", "ab a", "Ā ā", "æ Ĺ", "æĹ ¥", "! !"}, {"<|x|>"}, name));
      },
      true};
}

INSTANTIATE_TEST_SUITE_P(Kinds, AllTokenizers,
                         testing::Values(Kind{"wordpiece", wordpiece, false},
                                         Kind{"sentencepiece", sentencepiece, false},
                                         byte_pair("gpt-2"), byte_pair("smollm"),
                                         byte_pair("qwen2"), byte_pair("dbrx"),
                                         byte_pair("deepseek-llm"), byte_pair("deepseek-coder"),
                                         byte_pair("default")));

}  // namespace
}  // namespace lore::test
