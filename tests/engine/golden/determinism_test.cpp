// Results do not depend on what else is computed, in which order, or by how many threads: bit for
// bit, on every kernel table.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>
#include <random>

#include "tests/engine/golden/golden_fixtures.hpp"
#include "tests/support/fixtures.hpp"

namespace lore::test {
namespace {

using engine::Embedder;
using engine::EmbedderOptions;
using engine::Generator;
using engine::TokenId;
using Sequences = std::vector<std::vector<TokenId>>;

bool same_bits(std::span<const float> a, std::span<const float> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

/// Sequences of ids from 5 on, of these lengths.
Sequences sequences_of(const std::vector<std::size_t>& lengths, std::size_t vocabulary) {
  std::mt19937 random(21);
  Sequences result;
  for (const std::size_t length : lengths) {
    std::vector<TokenId> ids(length);
    for (TokenId& id : ids) id = static_cast<TokenId>(5 + random() % (vocabulary - 5));
    result.push_back(std::move(ids));
  }
  return result;
}

std::vector<float> embed(const std::shared_ptr<const engine::Model>& model, ThreadPool& pool,
                         const Sequences& sequences, std::size_t batch_tokens) {
  EmbedderOptions options;
  options.batch_tokens = batch_tokens;
  options.pooling = engine::Pooling::last;  // every row of a decoder's last token, nothing averaged
  const auto embedder = Embedder::create(model, pool, options);
  std::vector<float> out(sequences.size() * embedder->dimension());
  embedder->embed(sequences, out);
  return out;
}

void check_vectors(const std::filesystem::path& path, const std::string& kernels) {
  const auto model = load_model(path, kernels);
  const std::size_t width = model->info().hidden_size;
  // Lengths around the sizes of tiles and of attention blocks.
  std::vector<std::size_t> lengths = {1, 2, 7, 16, 17, 33, 65, 120};
  if (kernels != kWidest && !full_run()) lengths = {1, 3, 17, 66};
  const Sequences all = sequences_of(lengths, model->info().vocabulary);
  ThreadPool one(1);
  const auto expected = embed(model, one, all, 1);  // each alone, on one thread
  ThreadPool three(3);
  for (const std::size_t batch : {std::size_t{1}, std::size_t{40}, std::size_t{100000}}) {
    EXPECT_TRUE(same_bits(embed(model, three, all, batch), expected))
        << kernels << ", batches of " << batch;
  }
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::shuffle(order.begin(), order.end(), std::mt19937(22));
  Sequences shuffled;
  for (const std::size_t index : order) shuffled.push_back(all[index]);
  const auto vectors = embed(model, shared_pool(), shuffled, 100000);
  for (std::size_t i = 0; i < order.size(); ++i) {
    EXPECT_TRUE(same_bits(std::span(vectors).subspan(i * width, width),
                          std::span(expected).subspan(order[i] * width, width)))
        << kernels << ", sequence " << order[i];
  }
}

/// A model of this machine, or a small file of the shared data.
std::optional<std::filesystem::path> find_model(std::string_view name) {
  if (auto path = model_path(name)) return path;
  return shared_data(std::string("gguf/") + std::string(name) + ".gguf");
}

/// Small models run on every table, the others on the machine's own choice.
std::vector<std::string> tables_for(std::string_view name) {
  const bool small = name == "minilm" || name == "minilm-q8_0" || name == "inferno-tiny";
  if (small || full_run()) return kernel_names();
  return {std::string(kWidest)};
}

std::string test_name(const testing::TestParamInfo<const char*>& instance) {
  std::string name = instance.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

class Determinism : public testing::TestWithParam<const char*> {};

TEST_P(Determinism, VectorsAreTheSameInAnyBatchOrderAndThreadCount) {
  const auto path = find_model(GetParam());
  if (!path) GTEST_SKIP() << "not on this machine: " << GetParam();
  for (const std::string& kernels : tables_for(GetParam())) check_vectors(*path, kernels);
}

INSTANTIATE_TEST_SUITE_P(Models, Determinism,
                         testing::Values("minilm", "minilm-q8_0", "minilm-f32", "inferno-tiny",
                                         "smollm2"),
                         test_name);

/// What a generator says, with the log-probabilities of ten alternatives at each step.
std::vector<float> generate(Generator& generator, const std::vector<TokenId>& prompt,
                            std::size_t* reused = nullptr) {
  engine::GenerationRequest request;
  request.prompt = prompt;
  request.max_tokens = 8;
  request.sampling.temperature = 0;
  request.ignore_end = true;
  request.want_logprobs = true;
  request.logprobs = 10;
  const auto result = generator.generate(request);
  if (reused != nullptr) *reused = result.reused_tokens;
  std::vector<float> numbers;
  for (const auto& token : result.tokens) {
    numbers.push_back(static_cast<float>(token.id));
    numbers.push_back(token.logprob);
    for (const auto& other : token.top) numbers.push_back(other.logprob);
  }
  return numbers;
}

class GeneratorDeterminism : public testing::TestWithParam<const char*> {};

TEST_P(GeneratorDeterminism, AReusedPrefixEqualsARecomputedPrompt) {
  const auto path = find_model(GetParam());
  if (!path) GTEST_SKIP() << "not on this machine: " << GetParam();
  for (const std::string& kernels : tables_for(GetParam())) {
    const auto model = load_model(*path, kernels);
    const Sequences prompts = sequences_of({100, 20}, model->info().vocabulary);
    std::vector<TokenId> other = prompts[0];
    other.resize(77);
    other.insert(other.end(), prompts[1].begin(), prompts[1].end());

    const auto fresh = Generator::create(model, shared_pool());
    const auto expected = generate(*fresh, other);
    const auto used = Generator::create(model, shared_pool());
    generate(*used, prompts[0]);
    std::size_t reused = 0;
    EXPECT_TRUE(same_bits(generate(*used, other, &reused), expected)) << kernels;
    EXPECT_EQ(reused, 77U) << kernels;
    // The same prompt again: all but its last token are there, generated ones are forgotten.
    EXPECT_TRUE(same_bits(generate(*used, other, &reused), expected)) << kernels;
    EXPECT_EQ(reused, other.size() - 1) << kernels;
    for (const unsigned threads : {1U, 3U}) {
      ThreadPool pool(threads);
      const auto generator = Generator::create(model, pool);
      EXPECT_TRUE(same_bits(generate(*generator, other), expected)) << kernels << threads;
    }
  }
}

TEST_P(GeneratorDeterminism, OneRowEqualsItsRowAmongMany) {
  const auto path = find_model(GetParam());
  if (!path) GTEST_SKIP() << "not on this machine: " << GetParam();
  for (const std::string& kernels : tables_for(GetParam())) {
    const auto model = load_model(*path, kernels);
    const auto generator = Generator::create(model, shared_pool());
    const auto prompt = sequences_of({70}, model->info().vocabulary)[0];
    const auto all = generator->logits(prompt);
    const std::size_t columns = all.size() / prompt.size();
    for (const std::size_t length :
         {std::size_t{1}, std::size_t{2}, std::size_t{17}, std::size_t{64}, std::size_t{65}}) {
      const auto some = generator->logits(std::span(prompt).first(length));
      EXPECT_TRUE(same_bits(some, std::span(all).first(length * columns)))
          << kernels << ", the first " << length;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Models, GeneratorDeterminism,
                         testing::Values("inferno-tiny", "smollm2", "gemma-270m"), test_name);

}  // namespace
}  // namespace lore::test
