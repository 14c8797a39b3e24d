// Ids of our own texts against the golden data, with the real models' vocabularies.
#include <gtest/gtest.h>

#include <set>

#include "tests/engine/tokenizer/tokenizer_fixtures.hpp"
#include "tests/support/fixtures.hpp"

namespace lore::test {
namespace {

using engine::EncodeOptions;
using engine::TokenId;

constexpr EncodeOptions kPlain{.add_special = false, .parse_special = false};
constexpr EncodeOptions kParsed{.add_special = false, .parse_special = true};

struct Model {
  const char* file;    // in the folder of models
  const char* golden;  // in the golden data
  std::set<TokenId> end_of_generation;
};

std::ostream& operator<<(std::ostream& out, const Model& model) { return out << model.file; }

class GoldenTokens : public testing::TestWithParam<Model> {};

TEST_P(GoldenTokens, TextsGiveTheIdsAndComeBack) {
  LORE_REQUIRE_MODEL(model, GetParam().file);
  LORE_REQUIRE_SHARED(golden, "golden");
  const auto tokenizer = load_tokenizer(model);
  const auto texts = read_json_lines(golden / "texts.jsonl");
  const auto expected =
      read_json_lines(golden / (std::string("tokens-") + GetParam().golden + ".jsonl"));
  ASSERT_EQ(texts.size(), expected.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::string text = texts[i]["text"];
    const auto encoding = tokenizer->encode(text, kPlain);
    EXPECT_EQ(encoding.ids, expected[i]["ids"].get<std::vector<TokenId>>()) << "text " << i;
    EXPECT_EQ(tokenizer->ids(text, kPlain), encoding.ids) << "text " << i;
    EXPECT_EQ(tokenizer->decode(encoding.ids), text) << "text " << i;
    expect_sound_spans(encoding, text);
  }
}

TEST_P(GoldenTokens, SpecialTokensParsedAndPlain) {
  LORE_REQUIRE_MODEL(model, GetParam().file);
  LORE_REQUIRE_SHARED(path, "golden/special-tokens.jsonl");
  const auto tokenizer = load_tokenizer(model);
  for (const auto& line : read_json_lines(path)) {
    const std::string text = line["text"];
    const auto& expected = line[GetParam().golden];
    EXPECT_EQ(tokenizer->ids(text, kParsed), expected["special"].get<std::vector<TokenId>>())
        << text;
    EXPECT_EQ(tokenizer->ids(text, kPlain), expected["plain"].get<std::vector<TokenId>>()) << text;
  }
}

TEST_P(GoldenTokens, EndOfGeneration) {
  LORE_REQUIRE_MODEL(model, GetParam().file);
  const auto tokenizer = load_tokenizer(model);
  std::set<TokenId> found;
  for (TokenId id = 0; id < static_cast<TokenId>(tokenizer->size()); ++id) {
    if (tokenizer->is_end_of_generation(id)) found.insert(id);
  }
  EXPECT_EQ(found, GetParam().end_of_generation);
}

const std::set<TokenId> kQwenEnds = {128247, 151643, 151645, 151662, 151663, 151664};

INSTANTIATE_TEST_SUITE_P(Models, GoldenTokens,
                         testing::Values(Model{"smollm2", "smollm2", {0, 2, 4}},
                                         Model{"qwen-0.5b", "qwen2", kQwenEnds},
                                         Model{"qwen-1.5b", "qwen2", kQwenEnds},
                                         Model{"gemma-270m", "gemma3", {1, 106, 212}}),
                         [](const auto& instance) {
                           std::string name;
                           for (const char c : std::string(instance.param.file)) {
                             if (std::isalnum(static_cast<unsigned char>(c)) != 0) name += c;
                           }
                           return name;
                         });

TEST(GoldenTokens, Qwen2PublishedCases) {
  LORE_REQUIRE_MODEL(model, "qwen-0.5b");
  LORE_REQUIRE_SHARED(folder, "tokenizers/expected-only");
  const auto tokenizer = load_tokenizer(model);
  const auto cases = read_cases(folder / "ggml-vocab-qwen2.gguf");
  ASSERT_EQ(cases.size(), 46U);
  for (const TokenCase& one : cases) EXPECT_EQ(tokenizer->ids(one.text, kPlain), one.ids);
}

}  // namespace
}  // namespace lore::test
