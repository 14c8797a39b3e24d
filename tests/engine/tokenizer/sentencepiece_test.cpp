#include "engine/tokenizer/sentencepiece.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <map>

#include "base/utf8.hpp"
#include "tests/engine/tokenizer/synthetic.hpp"
#include "tests/engine/tokenizer/tokenizer_fixtures.hpp"

namespace lore::test {
namespace {

using engine::SentencePieceTokenizer;
using engine::TokenId;

constexpr engine::EncodeOptions kPlain{.add_special = false, .parse_special = false};

/// Pieces with spaces in front, inside ("a▁b") and alone, equal scores among them.
const std::vector<Piece> kPieces = {{"\u2581", -1},
                                    {"a", -2},
                                    {"b", -3},
                                    {"\u2581a", -4},
                                    {"ab", -5},
                                    {"\u2581ab", -6},
                                    {"ba", -5},
                                    {"\u2581\u2581", -7},
                                    {"aba", -8},
                                    {"a\u2581", -9},
                                    {"a\u2581b", -2.5F},
                                    {"bab", -4},
                                    {"\u2581\u2581\u2581\u2581", -3},
                                    {"日", -2},
                                    {"日a", -1}};

/// The whole text as one row of characters, the pair of the best score merged at every step.
std::vector<TokenId> merge_by_the_book(const SentencePieceTokenizer& tokenizer,
                                       const std::string& text, bool prefix) {
  std::map<std::string, std::pair<float, TokenId>> known;
  for (std::size_t i = 0; i < kPieces.size(); ++i) {
    known[kPieces[i].text] = {kPieces[i].score, kFirstPiece + static_cast<TokenId>(i)};
  }
  std::vector<std::string> symbols;
  if (prefix && !text.empty()) symbols.emplace_back("\u2581");
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    utf8::next(text, at);
    symbols.push_back(text[begin] == ' ' ? "\u2581" : text.substr(begin, at - begin));
  }
  for (;;) {
    const std::pair<float, TokenId>* best = nullptr;
    std::size_t place = 0;
    for (std::size_t i = 0; i + 1 < symbols.size(); ++i) {
      const auto found = known.find(symbols[i] + symbols[i + 1]);
      if (found != known.end() && (best == nullptr || found->second.first > best->first)) {
        best = &found->second;
        place = i;
      }
    }
    if (best == nullptr) break;
    symbols[place] += symbols[place + 1];
    symbols.erase(symbols.begin() + static_cast<std::ptrdiff_t>(place) + 1);
  }
  std::vector<TokenId> ids;
  for (const std::string& symbol : symbols) {
    const auto found = known.find(symbol);
    if (found != known.end()) {
      ids.push_back(found->second.second);
      continue;
    }
    for (const char c : symbol) ids.push_back(3 + static_cast<unsigned char>(c));
  }
  EXPECT_EQ(tokenizer.size(), kPieces.size() + kFirstPiece);
  return ids;
}

TEST(SentencePiece, MergesAsTheBookSays) {
  std::mt19937 random(11);
  for (const bool prefix : {true, false}) {
    auto metadata = sentencepiece_metadata(kPieces);
    metadata.set("tokenizer.ggml.add_space_prefix", prefix);
    const SentencePieceTokenizer tokenizer(metadata);
    for (std::size_t length = 0; length < 150; ++length) {
      const std::string text =
          random_text(random, {"a", "b", " ", "a", "b", "日", "é", "\u2581"}, length);
      ASSERT_EQ(tokenizer.ids(text, kPlain), merge_by_the_book(tokenizer, text, prefix)) << text;
    }
  }
}

TEST(SentencePiece, SpansAndDecoding) {
  const SentencePieceTokenizer tokenizer(sentencepiece_metadata(kPieces));
  std::mt19937 random(12);
  for (int i = 0; i < 200; ++i) {
    std::string text = random_text(random, {"a", "b", " ", "ab", "日", "é", "😀"}, 20);
    if (i % 2 == 0) text.push_back(static_cast<char>(0x80 + i % 64));  // no UTF-8
    const auto encoding = tokenizer.encode(text, kPlain);
    expect_sound_spans(encoding, text);
    EXPECT_EQ(encoding.spans.front().start, 0U);
    std::size_t at = 0;
    for (const auto& span : encoding.spans) {
      EXPECT_EQ(span.start, at);
      at = span.end;
    }
    EXPECT_EQ(at, text.size());
    EXPECT_EQ(tokenizer.decode(encoding.ids, false), text);
  }
}

TEST(SentencePiece, SpaceBeforeTheTextAndAfterTokensTakenWhole) {
  const SentencePieceTokenizer tokenizer(sentencepiece_metadata(kPieces));
  const auto encoding = tokenizer.encode("a<s>ab", {.add_special = true, .parse_special = true});
  ASSERT_EQ(encoding.ids,
            (std::vector<TokenId>{1, *tokenizer.find("\u2581a"), 1, *tokenizer.find("\u2581ab")}));
  EXPECT_EQ(encoding.spans[1].start, 0U);
  EXPECT_EQ(encoding.spans[1].end, 1U);
  EXPECT_EQ(encoding.spans[3].start, 4U);
  EXPECT_EQ(encoding.spans[3].end, 6U);
}

TEST(SentencePiece, PlainTextNeverGivesControlOrByteTokens) {
  std::vector<Piece> pieces = {{"<s", -1}, {"<0x4", -1}, {"<", -1},   {"s", -1},
                               {">", -1},  {"0", -1},    {"x", -1},   {"4", -1},
                               {"1", -1},  {"<0", -1},   {"<0x", -1}, {"1>", -1}};
  auto metadata = sentencepiece_metadata(pieces);
  metadata.set("tokenizer.ggml.add_space_prefix", false);
  const SentencePieceTokenizer tokenizer(metadata);
  EXPECT_EQ(tokenizer.ids("<s>", kPlain),
            (std::vector<TokenId>{*tokenizer.find("<s"), *tokenizer.find(">")}));
  EXPECT_EQ(tokenizer.ids("<0x41>", kPlain),
            (std::vector<TokenId>{*tokenizer.find("<0x4"), *tokenizer.find("1>")}));
}

TEST(SentencePiece, WithoutByteTokensACharacterIsUnknown) {
  engine::gguf::Metadata metadata("no bytes");
  metadata.set("tokenizer.ggml.model", std::string("llama"));
  metadata.set("tokenizer.ggml.tokens",
               engine::gguf::Array{std::vector<std::string>{"<unk>", "<s>", "</s>", "a"}});
  metadata.set("tokenizer.ggml.scores", engine::gguf::Array{std::vector<float>{0, 0, 0, -1}});
  metadata.set("tokenizer.ggml.token_type",
               engine::gguf::Array{std::vector<std::int64_t>{2, 3, 3, 1}});
  metadata.set("tokenizer.ggml.add_space_prefix", false);
  const SentencePieceTokenizer tokenizer(metadata);
  EXPECT_EQ(tokenizer.ids("aéa", kPlain), (std::vector<TokenId>{3, 0, 3}));
}

TEST(SentencePiece, AMegabyteWithoutSpacesTakesNoSquareTime) {
  const SentencePieceTokenizer tokenizer(sentencepiece_metadata(kPieces));
  std::mt19937 random(13);
  const std::string text = random_text(random, {"a", "b"}, 1 << 20);
  const auto start = std::chrono::steady_clock::now();
  const auto ids = tokenizer.ids(text, kPlain);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
  EXPECT_EQ(tokenizer.decode(ids, false), text);
}

}  // namespace
}  // namespace lore::test
