// Generators on their own quantized files against an exact forward pass in double precision.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/engine/golden/decoders.hpp"
#include "tests/engine/golden/golden_fixtures.hpp"
#include "tests/support/fixtures.hpp"

namespace lore::test {
namespace {

using engine::Generator;
using engine::TokenId;

/// Logits after each token of a prompt.
class Rows {
 public:
  Rows(Generator& generator, const std::vector<TokenId>& ids)
      : logits_(generator.logits(ids)), columns_(logits_.size() / ids.size()) {}
  std::vector<double> logprobs(std::size_t position) const {
    return log_softmax(std::span(logits_).subspan(position * columns_, columns_));
  }

 private:
  std::vector<float> logits_;  // [tokens, vocabulary]
  std::size_t columns_;
};

/// KL of the distribution after the last token, with all but the golden 50 tokens taken as one: no
/// more than the whole KL, and little less, since nearly all of the mass is in those 50.
double last_divergence(const Prompt& prompt, const std::vector<double>& logprobs) {
  double exact = 0;
  double ours = 0;
  double sum = 0;
  for (const auto& [id, logprob] : prompt.top) {
    const double other = logprobs[static_cast<std::size_t>(id)];
    exact += std::exp(logprob);
    ours += std::exp(other);
    sum += std::exp(logprob) * (logprob - other);
  }
  if (exact < 1 && ours < 1) sum += (1 - exact) * std::log((1 - exact) / (1 - ours));
  return sum;
}

/// Prompts of a model on a table: all on the machine's own choice, else a few short ones.
bool is_wanted(const Prompt& prompt, const std::string& kernels) {
  if (kernels == kWidest || full_run()) return true;
  return prompt.ids.size() < 60 && (prompt.name == "plain" || prompt.name == "grounded");
}

bool is_wanted(const Decoder& decoder, const std::string& kernels) {
  return kernels == kWidest || full_run() || std::string_view(decoder.golden) == "smollm2";
}

class Decoders : public testing::TestWithParam<Decoder> {};

/// The golden data hold the log-probability of each token of a prompt, not whole distributions.
/// Where logits carry small errors, half the mean square of those log-probabilities' errors
/// estimates the mean KL; over the 800 positions of a model it does so within about ten per cent.
/// (float_decoder_test.cpp measures the KL itself where that is affordable.)
TEST_P(Decoders, DivergeFromTheExactDistributionNoMoreThanThePeer) {
  LORE_REQUIRE_SHARED(golden, "golden");
  LORE_REQUIRE_MODEL(path, GetParam().file);
  const auto prompts = read_prompts(golden, GetParam());
  for (const std::string& kernels : kernel_names()) {
    if (!is_wanted(GetParam(), kernels)) continue;
    const auto generator = Generator::create(load_model(path, kernels), shared_pool());
    double squares = 0;
    double peer = 0;
    double last_sum = 0;
    std::size_t positions = 0;
    std::size_t count = 0;
    for (const Prompt& prompt : prompts) {
      if (!is_wanted(prompt, kernels)) continue;
      const Rows rows(*generator, prompt.ids);
      for (std::size_t i = 1; i + 1 < prompt.ids.size(); ++i) {
        const auto next = static_cast<std::size_t>(prompt.ids[i + 1]);
        squares += std::pow(rows.logprobs(i)[next] - prompt.logprobs[i + 1], 2);
        peer += prompt.peer_divergence;
        ++positions;
      }
      const double last = last_divergence(prompt, rows.logprobs(prompt.ids.size() - 1));
      EXPECT_GE(last, 0) << prompt.name;
      EXPECT_LE(last, 2e-2) << kernels << " " << prompt.name;
      last_sum += last;
      ++count;
    }
    ASSERT_GT(count, 1U);
    EXPECT_LE(last_sum / static_cast<double>(count), 1e-2) << kernels;
    // On few short prompts the estimate is coarse.
    const double factor = kernels == kWidest || full_run() ? 1.5 : 3;
    EXPECT_LE(squares / 2, factor * peer)
        << kernels << ": mean " << squares / 2 / static_cast<double>(positions) << ", the peer's "
        << peer / static_cast<double>(positions);
  }
}

/// All logits of one position are golden.
TEST_P(Decoders, WholeDistributionAfterTheGroundedPrompt) {
  LORE_REQUIRE_SHARED(golden, "golden");
  LORE_REQUIRE_MODEL(path, GetParam().file);
  const Matrix logits =
      read_npy(golden / (std::string("decoder-") + GetParam().golden + "-logits-grounded.npy"));
  const auto exact = log_softmax(logits.values);
  for (const Prompt& prompt : read_prompts(golden, GetParam())) {
    if (prompt.name != "grounded") continue;
    const auto generator = Generator::create(load_model(path), shared_pool());
    const auto ours = Rows(*generator, prompt.ids).logprobs(prompt.ids.size() - 1);
    ASSERT_EQ(ours.size(), exact.size());
    EXPECT_LE(divergence(exact, ours), 2e-2);
    EXPECT_GE(divergence(exact, ours), 0);
  }
}

/// Greedy text is the exact engine's up to a step where two tokens are nearly as good.
TEST_P(Decoders, GreedyContinuations) {
  LORE_REQUIRE_SHARED(golden, "golden");
  LORE_REQUIRE_MODEL(path, GetParam().file);
  constexpr double kNearTie = 0.5;
  std::size_t equal = 0;
  const auto prompts = read_prompts(golden, GetParam());
  const auto generator = Generator::create(load_model(path), shared_pool());
  for (const Prompt& prompt : prompts) {
    engine::GenerationRequest request;
    request.prompt = prompt.ids;
    request.max_tokens = prompt.greedy.size();
    request.sampling.temperature = 0;
    request.ignore_end = true;
    const auto result = generator->generate(request);
    ASSERT_EQ(result.tokens.size(), prompt.greedy.size());
    std::size_t step = 0;
    while (step < prompt.greedy.size() && result.tokens[step].id == prompt.greedy[step]) ++step;
    equal += step;
    if (step < prompt.greedy.size()) {
      EXPECT_LT(prompt.greedy_margin[step], kNearTie) << prompt.name << " at step " << step;
    }
  }
  EXPECT_GT(equal, prompts.front().greedy.size());
}

TEST_P(Decoders, OwnTokenizerGivesTheSameIds) {
  LORE_REQUIRE_SHARED(golden, "golden");
  LORE_REQUIRE_MODEL(path, GetParam().file);
  const auto model = load_model(path);
  for (const Prompt& prompt : read_prompts(golden, GetParam())) {
    EXPECT_EQ(model->tokenizer().ids(prompt.text, {.add_special = true, .parse_special = true}),
              prompt.ids)
        << prompt.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Models, Decoders, testing::ValuesIn(kDecoders),
                         [](const auto& instance) { return instance.param.golden; });

}  // namespace
}  // namespace lore::test
