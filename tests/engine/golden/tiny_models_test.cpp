// Small public files, on every kernel table, against llama.cpp's numbers.
#include <gtest/gtest.h>

#include <cmath>

#include "base/file.hpp"
#include "tests/engine/golden/golden_fixtures.hpp"
#include "tests/engine/tokenizer/tokenizer_fixtures.hpp"
#include "tests/support/fixtures.hpp"

namespace lore::test {
namespace {

using engine::Generator;
using engine::GeneratorOptions;
using engine::TokenId;

struct Tolerance {
  double logit;  // of any logit
  double sum;    // of the prompt's summed log-probability
};

/// Compares all that a reference file holds.
void compare(const std::filesystem::path& folder, const std::string& name,
             const Tolerance& tolerance) {
  const auto reference = nlohmann::json::parse(read_file(folder / "reference" / (name + ".json")));
  const auto tokens = reference["tokens"].get<std::vector<TokenId>>();
  const auto last = reference["logits_last"].get<std::vector<float>>();
  const auto greedy = reference["greedy"].get<std::vector<TokenId>>();
  for (const std::string& kernels : kernel_names()) {
    const auto model = load_model(folder / (name + ".gguf"), kernels);
    EXPECT_EQ(model->tokenizer().ids(reference["prompt"].get<std::string>()), tokens);
    GeneratorOptions options;
    options.cache_type = engine::CacheType::f32;
    const auto generator = Generator::create(model, shared_pool(), options);
    const auto logits = generator->logits(tokens);
    const std::size_t columns = logits.size() / tokens.size();
    ASSERT_EQ(columns, reference["n_vocab"].get<std::size_t>());
    const auto row = [&](std::size_t i) { return std::span(logits).subspan(i * columns, columns); };
    if (!last.empty()) {
      EXPECT_LE(largest_difference(row(tokens.size() - 1), last), tolerance.logit) << kernels;
    }
    double sum = 0;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const auto& expected = reference["argmax_per_position"][i];
      EXPECT_NEAR(row(i)[expected[0].get<std::size_t>()], expected[1].get<double>(),
                  tolerance.logit)
          << kernels << " at " << i;
      if (i + 1 < tokens.size()) {
        sum += log_softmax(row(i))[static_cast<std::size_t>(tokens[i + 1])];
      }
    }
    EXPECT_NEAR(sum, reference["sum_log_prob_of_prompt"].get<double>(), tolerance.sum) << kernels;

    engine::GenerationRequest request;
    request.prompt = tokens;
    request.max_tokens = greedy.size();
    request.sampling.temperature = 0;
    request.ignore_end = true;
    const auto result = generator->generate(request);
    std::vector<TokenId> ids;
    for (const auto& token : result.tokens) ids.push_back(token.id);
    EXPECT_EQ(ids, greedy) << kernels;
    if (reference.contains("greedy_text")) {
      EXPECT_EQ(result.text, reference["greedy_text"].get<std::string>()) << kernels;
    }
  }
}

/// All float32: the numbers are the peer's to the rounding of sums.
TEST(TinyModels, Stories260K) {
  LORE_REQUIRE_SHARED(folder, "gguf");
  compare(folder, "stories260K", {2e-4, 1e-4});
}

/// F32, F16, BF16, Q8_0 and Q4_K in one file; both engines round activations to 8 bits there, each
/// in its way.
TEST(TinyModels, InfernoTiny) {
  LORE_REQUIRE_SHARED(folder, "gguf");
  compare(folder, "inferno-tiny", {3e-2, 1e-1});
}

TEST(TinyModels, Llama2TinyRandom) {
  LORE_REQUIRE_SHARED(folder, "gguf");
  compare(folder, "llama-2-tiny-random", {2e-2, 5e-2});
}

}  // namespace
}  // namespace lore::test
