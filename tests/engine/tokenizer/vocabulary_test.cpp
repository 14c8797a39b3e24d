// What is common to all tokenizers: added tokens, special tokens, errors.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstring>

#include "engine/tokenizer/special_matcher.hpp"
#include "engine/tokenizer/string_table.hpp"
#include "tests/engine/gguf/expect_error.hpp"
#include "tests/engine/tokenizer/synthetic.hpp"
#include "tests/engine/tokenizer/tokenizer_fixtures.hpp"

namespace lore::test {
namespace {

using engine::TokenId;
using engine::Tokenizer;
using engine::gguf::Array;
using engine::gguf::Metadata;
using Ids = std::vector<TokenId>;

TEST(StringTable, FindsWhatIsIndexed) {
  engine::StringTable table;
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < 3000; ++i)
    texts.push_back(std::string(i % 40, 'x') + std::to_string(i));
  for (const std::string& text : texts) table.add(text);
  EXPECT_EQ(table.find("0"), engine::StringTable::kNone);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (i % 2 == 0) table.index(static_cast<std::int32_t>(i));
  }
  for (std::size_t i = 0; i < texts.size(); ++i) {
    EXPECT_EQ(table[i], texts[i]);
    EXPECT_EQ(table.find(texts[i]), i % 2 == 0 ? static_cast<int>(i) : -1);
  }
  EXPECT_EQ(table.find(""), engine::StringTable::kNone);
  EXPECT_EQ(table.longest(), 38U + 4U);
  table.add(texts[0]);
  table.index(3000);
  EXPECT_EQ(table.find(texts[0]), 0);  // the first of two equal ones
}

/// Different texts of 16 bytes with one hash: the second half takes back what the first did.
std::vector<std::string> colliding_texts(std::size_t count) {
  constexpr std::uint64_t kMultiplier = 0x9E3779B97F4A7C15U;
  std::vector<std::string> texts;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t start = 16 * kMultiplier;
    const std::uint64_t after = (std::rotl(start, 23) ^ i) * kMultiplier;
    const std::array<std::uint64_t, 2> words = {i, std::rotl(after, 23)};
    std::string& text = texts.emplace_back(16, '\0');
    std::memcpy(text.data(), words.data(), text.size());
  }
  return texts;
}

TEST(StringTable, RefusesTextsThatAreMadeToCollide) {
  const auto fill = [](std::size_t count) {
    engine::StringTable table;
    for (const std::string& text : colliding_texts(count)) table.add(text);
    for (std::size_t i = 0; i < count; ++i) table.index(static_cast<std::int32_t>(i));
    EXPECT_EQ(table.find(table[count - 1]), static_cast<int>(count - 1));
  };
  fill(engine::kMostProbes);
  EXPECT_THROW(fill(engine::kMostProbes + 1), engine::CrowdedTable);

  Metadata metadata("crowded.gguf");
  metadata.set("tokenizer.ggml.model", std::string("llama"));
  metadata.set("tokenizer.ggml.tokens", Array{colliding_texts(engine::kMostProbes + 1)});
  metadata.set("tokenizer.ggml.scores", Array{std::vector<float>(engine::kMostProbes + 1)});
  expect_error(ErrorCode::corrupt, {"crowded.gguf", "slow to search"},
               [&] { Tokenizer::from_metadata(metadata); });
}

/// A vocabulary of control tokens (or user-defined ones) and nothing else.
engine::Vocabulary vocabulary_of(const std::vector<std::string>& tokens, std::int64_t type) {
  Metadata metadata("tokens");
  metadata.set("tokenizer.ggml.tokens", Array{tokens});
  metadata.set("tokenizer.ggml.token_type", Array{std::vector<std::int64_t>(tokens.size(), type)});
  return engine::Vocabulary(metadata, {});
}

std::vector<std::string> split(const engine::SpecialMatcher& matcher, const std::string& text,
                               bool parse) {
  std::vector<std::string> result;
  for (const engine::Fragment& fragment : matcher.split(text, parse)) {
    const std::string part = text.substr(fragment.begin, fragment.end - fragment.begin);
    result.push_back(fragment.token == engine::Fragment::kText
                         ? part
                         : std::to_string(fragment.token) + "=" + part);
  }
  return result;
}

TEST(SpecialMatcher, TakesTheLongestTokenFirstWhereverItStands) {
  const engine::SpecialMatcher matcher(vocabulary_of({"ab", "bcd", "a", "dd", "e"}, 4));
  using Parts = std::vector<std::string>;
  EXPECT_EQ(split(matcher, "abcd", false), (Parts{"2=a", "1=bcd"}));
  EXPECT_EQ(split(matcher, "xabx", false), (Parts{"x", "0=ab", "x"}));
  EXPECT_EQ(split(matcher, "ddd", false), (Parts{"3=dd", "d"}));
  EXPECT_EQ(split(matcher, "abcddd", false), (Parts{"2=a", "1=bcd", "3=dd"}));
  EXPECT_EQ(split(matcher, "ee", false), (Parts{"4=e", "4=e"}));
  EXPECT_EQ(split(matcher, "xyz", false), (Parts{"xyz"}));
  EXPECT_EQ(split(matcher, "", false), Parts{});
}

TEST(SpecialMatcher, ControlTokensOnlyWhereParsed) {
  const engine::SpecialMatcher matcher(vocabulary_of({"<|x|>", "<"}, 3));
  using Parts = std::vector<std::string>;
  EXPECT_EQ(split(matcher, "a<|x|>", false), (Parts{"a<|x|>"}));
  EXPECT_EQ(split(matcher, "a<|x|><", true), (Parts{"a", "0=<|x|>", "1=<"}));
}

TEST(SpecialMatcher, LongRunsTakeNoSquareTime) {
  std::vector<std::string> runs;
  for (std::size_t i = 2; i < 32; ++i) runs.emplace_back(i, '\n');
  const engine::SpecialMatcher matcher(vocabulary_of(runs, 4));
  const std::string text(200000, '\n');
  const auto fragments = matcher.split(text, false);
  EXPECT_EQ(fragments.size(), (text.size() + 30) / 31);
}

TEST(AddedTokens, BytePairAddsWhereAsked) {
  auto metadata = byte_pair_metadata({"a b"}, {"<s>", "<e>"});
  const TokenId bos = 257;
  const TokenId eos = 258;
  const TokenId ab = 256;
  metadata.set("tokenizer.ggml.bos_token_id", std::uint64_t{257});
  metadata.set("tokenizer.ggml.eos_token_id", std::uint64_t{258});
  EXPECT_EQ(Tokenizer::from_metadata(metadata)->ids("ab"), Ids{ab});
  metadata.set("tokenizer.ggml.add_bos_token", true);
  EXPECT_EQ(Tokenizer::from_metadata(metadata)->ids("ab"), (Ids{bos, ab}));
  metadata.set("tokenizer.ggml.add_eos_token", true);
  const auto tokenizer = Tokenizer::from_metadata(metadata);
  const auto encoding = tokenizer->encode("ab", {});
  EXPECT_EQ(encoding.ids, (Ids{bos, ab, eos}));
  EXPECT_EQ(encoding.spans[0].start, 0U);
  EXPECT_EQ(encoding.spans[0].end, 0U);
  EXPECT_EQ(encoding.spans[2].start, 2U);
  EXPECT_EQ(encoding.spans[2].end, 2U);
  EXPECT_EQ(tokenizer->ids("ab", {.add_special = false}), Ids{ab});
  EXPECT_EQ(tokenizer->ids(""), (Ids{bos, eos}));
  // Not twice where the text brings its own.
  EXPECT_EQ(tokenizer->ids("<s>ab<e>", {.parse_special = true}), (Ids{bos, ab, eos}));
  EXPECT_EQ(tokenizer->bos(), bos);
  EXPECT_EQ(tokenizer->eos(), eos);
  EXPECT_TRUE(tokenizer->is_end_of_generation(eos));
  EXPECT_FALSE(tokenizer->is_end_of_generation(bos));
}

TEST(AddedTokens, Llama3AddsBosWhereTheFileIsSilent) {
  auto metadata = byte_pair_metadata({"a b"}, {"<s>"}, "llama-bpe");
  metadata.set("tokenizer.ggml.bos_token_id", std::uint64_t{257});
  EXPECT_EQ(Tokenizer::from_metadata(metadata)->ids("ab"), (Ids{257, 256}));
  metadata.set("tokenizer.ggml.add_bos_token", false);
  EXPECT_EQ(Tokenizer::from_metadata(metadata)->ids("ab"), Ids{256});
}

TEST(AddedTokens, SentencePieceAddsBos) {
  auto metadata = sentencepiece_metadata({{"\u2581a", -1}, {"\u2581", -2}, {"a", -2}});
  EXPECT_EQ(Tokenizer::from_metadata(metadata)->ids("a"), (Ids{1, kFirstPiece}));
  metadata.set("tokenizer.ggml.add_bos_token", false);
  metadata.set("tokenizer.ggml.add_eos_token", true);
  EXPECT_EQ(Tokenizer::from_metadata(metadata)->ids("a"), (Ids{kFirstPiece, 2}));
}

TEST(AddedTokens, WordPieceAddsBoth) {
  const std::vector<std::string> pieces = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "a", "##b"};
  const auto tokenizer = Tokenizer::from_metadata(wordpiece_metadata(pieces));
  EXPECT_EQ(tokenizer->ids("ab c"), (Ids{2, 4, 5, 1, 3}));
  EXPECT_EQ(tokenizer->ids(""), (Ids{2, 3}));
  EXPECT_EQ(tokenizer->ids("[SEP]", {.add_special = false}), (Ids{1, 1, 1}));
  EXPECT_EQ(tokenizer->ids("[SEP]", {.add_special = false, .parse_special = true}), Ids{3});
}

TEST(Pieces, OfEveryKindAndOutOfRange) {
  const auto tokenizer = Tokenizer::from_metadata(
      sentencepiece_metadata({{"\u2581a", -1}, {"<extra>", 0, 4}, {"\u2581\u2581b\u2581", -1}}));
  EXPECT_EQ(tokenizer->piece(1), "");
  EXPECT_EQ(tokenizer->piece(1, true), "<s>");
  EXPECT_EQ(tokenizer->piece(3 + 0x0A), "\n");
  EXPECT_EQ(tokenizer->token(3 + 0x0A), "<0x0A>");
  EXPECT_EQ(tokenizer->piece(kFirstPiece), " a");
  EXPECT_EQ(tokenizer->piece(kFirstPiece + 1), "<extra>");
  EXPECT_EQ(tokenizer->piece(kFirstPiece + 2), "  b ");
  EXPECT_EQ(tokenizer->decode({1, kFirstPiece, kFirstPiece, 2}), "a a");
  EXPECT_EQ(tokenizer->decode({1, kFirstPiece, 2}, true), "<s>a</s>");
  EXPECT_TRUE(tokenizer->is_control(1));
  EXPECT_FALSE(tokenizer->is_control(kFirstPiece));
  EXPECT_EQ(tokenizer->find("<extra>"), kFirstPiece + 1);
  EXPECT_EQ(tokenizer->find("none"), std::nullopt);
  for (const TokenId id : {-1, kFirstPiece + 3, 0x7FFFFFFF}) {
    EXPECT_EQ(tokenizer->piece(id, true), "");
    EXPECT_EQ(tokenizer->token(id), "");
    EXPECT_FALSE(tokenizer->is_control(id));
    EXPECT_FALSE(tokenizer->is_end_of_generation(id));
  }
}

TEST(TokenizerErrors, NameTheKey) {
  const auto refuse = [](ErrorCode code, std::vector<std::string> words, const Metadata& metadata) {
    expect_error(code, words, [&] { Tokenizer::from_metadata(metadata); });
  };
  refuse(ErrorCode::corrupt, {"nothing", "tokenizer.ggml.model"}, Metadata("nothing"));
  auto metadata = byte_pair_metadata({"a b"});
  metadata.set("tokenizer.ggml.model", std::string("rwkv"));
  refuse(ErrorCode::unsupported, {"tokenizer.ggml.model", "rwkv"}, metadata);

  metadata = byte_pair_metadata({"a b"}, {}, "no-such");
  refuse(ErrorCode::unsupported, {"tokenizer.ggml.pre", "no-such"}, metadata);
  for (const char* merge : {"ab", "", " a", "a ", "a \x01"}) {
    metadata = byte_pair_metadata({"a b"});
    metadata.set("tokenizer.ggml.merges", Array{std::vector<std::string>{"a b", merge}});
    refuse(ErrorCode::corrupt, {"tokenizer.ggml.merges", "place 1"}, metadata);
  }
  metadata = byte_pair_metadata({"a b"});
  metadata.set("tokenizer.ggml.merges", std::string("a b"));
  refuse(ErrorCode::corrupt, {"tokenizer.ggml.merges"}, metadata);
  metadata = byte_pair_metadata({"a b"});
  metadata.set("tokenizer.ggml.token_type", Array{std::vector<std::int64_t>{1, 1}});
  refuse(ErrorCode::corrupt, {"tokenizer.ggml.token_type"}, metadata);
  metadata = byte_pair_metadata({"a b"});
  metadata.set("tokenizer.ggml.tokens", Array{std::vector<std::string>{}});
  refuse(ErrorCode::corrupt, {"tokenizer.ggml.tokens"}, metadata);
  metadata = byte_pair_metadata({"a b"});
  metadata.set("tokenizer.ggml.add_bos_token", true);
  refuse(ErrorCode::corrupt, {"tokenizer.ggml.add_bos_token"}, metadata);
  metadata.set("tokenizer.ggml.bos_token_id", std::uint64_t{100000});
  refuse(ErrorCode::corrupt, {"tokenizer.ggml.add_bos_token"}, metadata);

  metadata = sentencepiece_metadata({{"a", -1}});
  metadata.set("tokenizer.ggml.scores", Array{std::vector<float>{1}});
  refuse(ErrorCode::corrupt, {"tokenizer.ggml.scores"}, metadata);
  refuse(ErrorCode::corrupt, {"[UNK]"}, wordpiece_metadata({"[CLS]", "[SEP]", "a"}));
  refuse(ErrorCode::corrupt, {"U+2581"}, wordpiece_metadata({"[UNK]", "##a"}));
}

}  // namespace
}  // namespace lore::test
