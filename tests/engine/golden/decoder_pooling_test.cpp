// A generator's file as an embedder.
#include <gtest/gtest.h>

#include "tests/engine/golden/golden_fixtures.hpp"
#include "tests/engine/tokenizer/tokenizer_fixtures.hpp"
#include "tests/support/fixtures.hpp"

namespace lore::test {
namespace {

using engine::Embedder;
using engine::EmbedderOptions;
using engine::Pooling;
using engine::TokenId;

struct Case {
  const char* file;
  const char* golden;
};

class DecoderPooling : public testing::TestWithParam<Case> {};

TEST_P(DecoderPooling, RowsAfterTheFinalNormPooled) {
  LORE_REQUIRE_SHARED(golden, "golden");
  LORE_REQUIRE_MODEL(path, GetParam().file);
  const std::string name = GetParam().golden;
  std::vector<std::vector<TokenId>> ids;
  for (const auto& line : read_json_lines(golden / (name + "-pool-texts.jsonl"))) {
    ids.push_back(line["ids"].get<std::vector<TokenId>>());
  }
  for (const std::string& kernels : kernel_names()) {
    const bool all = kernels == kWidest || full_run();
    if (!all && name != "smollm2") continue;
    const auto model = load_model(path, kernels);
    for (const auto& [pooling, word] :
         {std::pair(Pooling::mean, "mean"), std::pair(Pooling::cls, "cls"),
          std::pair(Pooling::last, "last")}) {
      if (!all && pooling != Pooling::last) continue;
      EmbedderOptions options;
      options.pooling = pooling;
      options.normalize = false;
      const auto embedder = Embedder::create(model, shared_pool(), options);
      const Matrix expected = read_npy(golden / (name + "-pool-" + word + ".npy"));
      ASSERT_EQ(expected.rows, ids.size());
      ASSERT_EQ(expected.columns, embedder->dimension());
      const auto texts = std::span(ids).first(all ? ids.size() : 3);
      std::vector<float> vectors(texts.size() * embedder->dimension());
      embedder->embed(texts, vectors);
      for (std::size_t row = 0; row < texts.size(); ++row) {
        const auto vector = std::span(vectors).subspan(row * expected.columns, expected.columns);
        // Activations of 8 bits; llama.cpp reaches 0.998 on these.
        EXPECT_GE(cosine(vector, expected.row(row)), 0.995) << kernels << " " << word << " " << row;
        EXPECT_NEAR(norm(vector) / norm(expected.row(row)), 1, 0.06) << kernels << " " << word;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Models, DecoderPooling,
                         testing::Values(Case{"smollm2", "smollm2"}, Case{"qwen-0.5b", "qwen05"}),
                         [](const auto& instance) { return instance.param.golden; });

}  // namespace
}  // namespace lore::test
