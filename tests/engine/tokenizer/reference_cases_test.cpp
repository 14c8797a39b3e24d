// Every published vocabulary with expected ids that lore has an algorithm for.
#include <gtest/gtest.h>

#include "tests/engine/tokenizer/tokenizer_fixtures.hpp"
#include "tests/support/fixtures.hpp"

namespace lore::test {
namespace {

using engine::EncodeOptions;

constexpr EncodeOptions kPlain{.add_special = false, .parse_special = false};

class ReferenceCases : public testing::TestWithParam<const char*> {};

TEST_P(ReferenceCases, GivesTheReferenceIds) {
  const std::string name = std::string("tokenizers/ggml-vocab-") + GetParam() + ".gguf";
  LORE_REQUIRE_SHARED(path, name);
  const auto tokenizer = load_tokenizer(path);
  const auto cases = read_cases(path);
  ASSERT_EQ(cases.size(), 46U);
  for (const TokenCase& one : cases) {
    const auto encoding = tokenizer->encode(one.text, kPlain);
    EXPECT_EQ(encoding.ids, one.ids) << one.text;
    EXPECT_EQ(tokenizer->ids(one.text, kPlain), one.ids) << one.text;
    expect_sound_spans(encoding, one.text);
    EXPECT_EQ(tokenizer->decode(encoding.ids), one.text);
  }
}

INSTANTIATE_TEST_SUITE_P(Vocabularies, ReferenceCases,
                         testing::Values("llama-spm", "phi-3", "gpt-2", "mpt", "refact",
                                         "starcoder", "deepseek-llm", "deepseek-coder", "gpt-neox"),
                         [](const auto& instance) {
                           std::string name = instance.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace lore::test
