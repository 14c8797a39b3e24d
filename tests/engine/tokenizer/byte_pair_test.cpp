#include "engine/tokenizer/byte_pair.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <map>

#include "tests/engine/tokenizer/synthetic.hpp"
#include "tests/engine/tokenizer/tokenizer_fixtures.hpp"

namespace lore::test {
namespace {

using engine::BytePairTokenizer;
using engine::TokenId;

constexpr engine::EncodeOptions kPlain{.add_special = false, .parse_special = false};

const std::vector<std::string> kMerges = {"a b", "b a",  "ab a",  "a a",   "aa aa", "c d",
                                          "d c", "cd c", "ab ab", "aba b", "Ġ a",   "Ġ ab"};

/// The algorithm as papers write it: again and again, all pairs of the lowest rank, from the left.
std::vector<std::string> merge_by_the_book(const std::string& word) {
  std::map<std::pair<std::string, std::string>, std::size_t> ranks;
  for (std::size_t rank = 0; rank < kMerges.size(); ++rank) {
    const std::size_t space = kMerges[rank].find(' ');
    ranks.emplace(std::pair(kMerges[rank].substr(0, space), kMerges[rank].substr(space + 1)), rank);
  }
  std::vector<std::string> symbols;
  for (const char c : word) symbols.emplace_back(c == ' ' ? "Ġ" : std::string(1, c));
  for (;;) {
    std::size_t best = ranks.size();
    std::size_t at = 0;
    for (std::size_t i = 0; i + 1 < symbols.size(); ++i) {
      const auto found = ranks.find({symbols[i], symbols[i + 1]});
      if (found != ranks.end() && found->second < best) {
        best = found->second;
        at = i;
      }
    }
    if (best == ranks.size()) return symbols;
    symbols[at] += symbols[at + 1];
    symbols.erase(symbols.begin() + static_cast<std::ptrdiff_t>(at) + 1);
  }
}

TEST(BytePair, MergesAsTheBookSaysAtEveryLength) {
  const BytePairTokenizer tokenizer(byte_pair_metadata(kMerges));
  std::mt19937 random(7);
  for (std::size_t length = 0; length < 260; ++length) {
    // One word for the pre-tokenizer: letters, perhaps after one space.
    const std::string word = std::string(length % 3 == 0 ? 1 : 0, ' ') +
                             random_text(random, {"a", "b", "a", "c", "d"}, length);
    if (word.size() != length + (length % 3 == 0 ? 1U : 0U) || word == " ") continue;
    std::vector<std::string> got;
    for (const TokenId id : tokenizer.ids(word, kPlain)) got.emplace_back(tokenizer.token(id));
    ASSERT_EQ(got, merge_by_the_book(word)) << word;
  }
}

TEST(BytePair, SpansTileTheText) {
  const BytePairTokenizer tokenizer(byte_pair_metadata(kMerges));
  std::mt19937 random(8);
  for (int i = 0; i < 200; ++i) {
    const std::string text =
        random_text(random, {"ab", " ", "a", "é", "日", "😀", "1", "\n", "'s", "!"}, 30);
    const auto encoding = tokenizer.encode(text, kPlain);
    std::size_t at = 0;
    for (std::size_t k = 0; k < encoding.ids.size(); ++k) {
      EXPECT_EQ(encoding.spans[k].start, at);
      at = encoding.spans[k].end;
      EXPECT_EQ(tokenizer.piece(encoding.ids[k], false),
                text.substr(encoding.spans[k].start, at - encoding.spans[k].start));
    }
    EXPECT_EQ(at, text.size());
    EXPECT_EQ(tokenizer.decode(encoding.ids, false), text);
  }
}

TEST(BytePair, BytesThatAreNoUtf8AreTokensOfTheirOwn) {
  const BytePairTokenizer tokenizer(byte_pair_metadata(kMerges));
  std::mt19937 random(9);
  for (int i = 0; i < 200; ++i) {
    std::string text;
    for (int k = 0; k < 40; ++k) text.push_back(static_cast<char>(random() & 0xFF));
    EXPECT_EQ(tokenizer.decode(tokenizer.ids(text, kPlain), false), text);
  }
}

TEST(BytePair, PlainTextNeverGivesAControlToken) {
  // Merges that would spell the control token.
  auto metadata = byte_pair_metadata({"< |", "<| x", "<|x |", "<|x| >"}, {"<|x|>"}, "default");
  const BytePairTokenizer tokenizer(metadata);
  const auto control = *tokenizer.find("<|x|>");
  for (const char* text : {"<|x|>", "a<|x|>b", "<|x|><|x|>"}) {
    EXPECT_THAT(tokenizer.ids(text, kPlain), testing::Not(testing::Contains(control))) << text;
    EXPECT_THAT(tokenizer.ids(text, {.add_special = false, .parse_special = true}),
                testing::Contains(control))
        << text;
  }
}

TEST(BytePair, WholeWordsFirstWhereThePreTokenizerSaysSo) {
  // "dcba" is a token that no merges lead to.
  for (const bool whole : {false, true}) {
    auto metadata = byte_pair_metadata(kMerges, {}, whole ? "llama-bpe" : "qwen2");
    std::vector<std::string> tokens = *metadata.get_strings("tokenizer.ggml.tokens");
    tokens.emplace_back("dcba");
    const std::size_t count = tokens.size();
    metadata.set("tokenizer.ggml.tokens", engine::gguf::Array{std::move(tokens)});
    metadata.set("tokenizer.ggml.token_type",
                 engine::gguf::Array{std::vector<std::int64_t>(count, 1)});
    metadata.set("tokenizer.ggml.bos_token_id", std::uint64_t{0});
    const BytePairTokenizer tokenizer(metadata);
    EXPECT_EQ(tokenizer.ids("dcba", kPlain).size() == 1, whole);
  }
}

TEST(BytePair, AMegabyteInOneWordTakesNoSquareTime) {
  const BytePairTokenizer tokenizer(byte_pair_metadata(kMerges));
  std::mt19937 random(10);
  const std::string word = random_text(random, {"a", "b", "c", "d"}, 1 << 20);
  const auto start = std::chrono::steady_clock::now();
  const auto ids = tokenizer.ids(word, kPlain);
  // A square algorithm takes hours; this takes well below a second.
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
  EXPECT_EQ(tokenizer.decode(ids, false), word);
}

}  // namespace
}  // namespace lore::test
