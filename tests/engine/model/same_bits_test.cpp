// Results are the same bits for any batch, order and number of threads, with a prefix reused or
// computed again, for prompt and generated tokens alike; for every kernel table.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <thread>

#include "base/simd/cpu_features.hpp"
#include "engine/engine.hpp"
#include "tests/engine/model/tiny_model.hpp"
#include "tests/support/fixtures.hpp"

namespace lore::engine {
namespace {

namespace test = lore::test;
using test::TinyModel;

std::vector<TokenId> some_ids(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<TokenId> ids(count);
  for (TokenId& id : ids) id = static_cast<TokenId>(random() % test::kTinyVocabulary);
  return ids;
}

struct Param {
  std::string architecture;
  DType type;
  std::string kernels;
};

/// Every type once, every family once with a quantized and a float type, on every table.
std::vector<Param> all_params() {
  const std::vector<std::pair<std::string, DType>> models = {
      {"llama", DType::f32},  {"llama", DType::f16},  {"llama", DType::bf16},
      {"llama", DType::q8_0}, {"llama", DType::q4_1}, {"bert", DType::f32},
      {"bert", DType::f16},   {"bert", DType::q8_0},  {"qwen2", DType::q8_0},
      {"gemma3", DType::f16}, {"gemma3", DType::q8_0}};
  std::vector<Param> params;
  for (const simd::Level level : simd::available_levels(simd::detect_cpu_features())) {
    for (const auto& [architecture, type] : models) {
      params.push_back({architecture, type, std::string(simd::level_name(level))});
    }
  }
  return params;
}

class SameBits : public testing::TestWithParam<Param> {
 protected:
  std::shared_ptr<const Model> load(ThreadPool& pool, std::size_t context) {
    TinyModel tiny;
    tiny.architecture = GetParam().architecture;
    tiny.type = GetParam().type;
    tiny.context = context;
    const auto path = folder_.path() / "tiny.gguf";
    test::write_tiny_model(tiny, path);
    return Model::load(path, pool, {GetParam().kernels});
  }

  test::TemporaryFolder folder_;
};

std::vector<float> embed(const std::shared_ptr<const Model>& model, ThreadPool& pool,
                         const std::vector<std::vector<TokenId>>& texts, std::size_t batch) {
  EmbedderOptions options;
  options.batch_tokens = batch;
  const auto embedder = Embedder::create(model, pool, options);
  std::vector<float> out(texts.size() * embedder->dimension());
  embedder->embed(texts, out);
  return out;
}

TEST_P(SameBits, EmbeddingsOfAnyBatchOrderAndThreads) {
  ThreadPool one(1);
  const auto model = load(one, 200);
  std::vector<std::vector<TokenId>> texts;
  for (const std::size_t length : {1UL, 2UL, 17UL, 64UL, 65UL, 200UL, 3UL, 130UL, 31UL}) {
    texts.push_back(some_ids(length, static_cast<unsigned>(length)));
  }
  std::vector<float> alone;
  for (const auto& text : texts) {
    const auto vector = embed(model, one, {text}, 2048);
    alone.insert(alone.end(), vector.begin(), vector.end());
  }
  const std::size_t width = model->info().hidden_size;
  for (const unsigned threads : {1U, 2U, 3U}) {
    ThreadPool pool(threads);
    for (const std::size_t batch : {1UL, 70UL, 2048UL}) {
      EXPECT_EQ(embed(model, pool, texts, batch), alone)
          << threads << " threads, batches of " << batch;
    }
    std::vector<std::size_t> order(texts.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::shuffle(order.begin(), order.end(), std::mt19937(threads));
    std::vector<std::vector<TokenId>> shuffled;
    for (const std::size_t i : order) shuffled.push_back(texts[i]);
    const auto result = embed(model, pool, shuffled, 2048);
    for (std::size_t i = 0; i < order.size(); ++i) {
      EXPECT_TRUE(std::equal(result.begin() + static_cast<std::ptrdiff_t>(i * width),
                             result.begin() + static_cast<std::ptrdiff_t>((i + 1) * width),
                             alone.begin() + static_cast<std::ptrdiff_t>(order[i] * width)));
    }
  }
}

/// The logits that each generated token was chosen from, one after the other.
struct Generated {
  std::vector<float> logits;
  std::vector<TokenId> ids;
  std::size_t reused = 0;
};

Generated generate(Generator& generator, std::vector<TokenId> prompt, std::size_t count,
                   bool lookup = false) {
  Generated result;
  GenerationRequest request;
  request.prompt = std::move(prompt);
  request.max_tokens = count;
  request.ignore_end = true;
  request.lookup = lookup;
  request.filter = [&](std::string_view, std::span<float> logits) {
    result.logits.insert(result.logits.end(), logits.begin(), logits.end());
  };
  const GenerationResult done = generator.generate(request);
  for (const GeneratedToken& token : done.tokens) result.ids.push_back(token.id);
  result.reused = done.reused_tokens;
  return result;
}

TEST_P(SameBits, GenerationWithAnyThreadsPrefixAndRegime) {
  if (GetParam().architecture == "bert") return;
  ThreadPool one(1);
  const auto model = load(one, 800);
  const std::vector<TokenId> prompt = some_ids(70, 5);
  const auto fresh = [&](ThreadPool& pool) { return Generator::create(model, pool); };
  const auto generator = fresh(one);
  const Generated first = generate(*generator, prompt, 12);
  EXPECT_EQ(first.reused, 0U);

  for (const unsigned threads : {2U, 3U}) {
    ThreadPool pool(threads);
    const Generated same = generate(*fresh(pool), prompt, 12);
    EXPECT_EQ(same.ids, first.ids);
    EXPECT_EQ(same.logits, first.logits) << threads << " threads";
  }

  // A prompt that goes on from half of the old one.
  std::vector<TokenId> other(prompt.begin(), prompt.begin() + 41);
  const std::vector<TokenId> tail = some_ids(30, 6);
  other.insert(other.end(), tail.begin(), tail.end());
  const Generated reused = generate(*generator, other, 5);
  EXPECT_EQ(reused.reused, 41U);
  EXPECT_EQ(reused.logits, generate(*fresh(one), other, 5).logits);

  // The same tokens as a prompt: what generation saw equals what the prompt's products give.
  std::vector<TokenId> whole = prompt;
  whole.insert(whole.end(), first.ids.begin(), first.ids.end() - 1);
  const std::vector<float> all = fresh(one)->logits(whole);
  const std::size_t vocabulary = model->info().vocabulary;
  const std::vector<float> last(
      all.end() - static_cast<std::ptrdiff_t>(first.ids.size() * vocabulary), all.end());
  EXPECT_EQ(last, first.logits);

  // Generated tokens are a prefix like any other.
  const Generated again = generate(*generator, prompt, 12);
  const Generated longer = generate(*generator, whole, 3);
  EXPECT_EQ(longer.reused, whole.size() - 1);
  EXPECT_EQ(longer.logits, generate(*fresh(one), whole, 3).logits);
  EXPECT_EQ(again.logits, first.logits);
}

TEST_P(SameBits, LongPromptsAndSplitKeys) {
  if (GetParam().architecture == "bert" || GetParam().type != DType::q8_0) return;
  ThreadPool one(1);
  const auto model = load(one, 2400);
  const std::vector<TokenId> prompt = some_ids(1300, 8);  // over two pieces and two spans of keys
  GeneratorOptions options;
  options.context = 1400;
  const Generated first = generate(*Generator::create(model, one, options), prompt, 4);
  ThreadPool three(3);  // two key-value heads on three threads: spans are split
  EXPECT_EQ(generate(*Generator::create(model, three, options), prompt, 4).logits, first.logits);

  // As an embedding: through the cache in pieces, or at once.
  const std::vector<TokenId> text = some_ids(2300, 9);
  const auto rows_of = [&](ThreadPool& pool, std::vector<TokenId> ids) {
    EmbedderOptions raw;
    raw.pooling = Pooling::none;
    raw.normalize = false;
    const auto embedder = Embedder::create(model, pool, raw);
    std::vector<float> out(ids.size() * embedder->dimension());
    const std::vector<std::vector<TokenId>> texts = {std::move(ids)};
    embedder->embed(texts, out);
    return out;
  };
  const auto whole = rows_of(three, text);
  const auto part = rows_of(one, {text.begin(), text.begin() + 900});
  EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin()));
}

/// Prompts that begin alike, and one that does not.
std::vector<std::vector<TokenId>> related_prompts() {
  const std::vector<TokenId> shared = some_ids(150, 21);
  std::vector<std::vector<TokenId>> prompts;
  for (unsigned i = 0; i < 6; ++i) {
    prompts.push_back(shared);
    const std::vector<TokenId> own = some_ids(3 + 9 * i, 30 + i);
    prompts.back().insert(prompts.back().end(), own.begin(), own.end());
  }
  prompts.push_back(some_ids(40, 50));
  return prompts;
}

TEST_P(SameBits, RequestsTogetherAndWithGuesses) {
  if (GetParam().architecture == "bert") return;
  ThreadPool pool(2);
  const auto model = load(pool, 800);
  const auto prompts = related_prompts();
  std::vector<Generated> alone;
  for (const auto& prompt : prompts) {
    alone.push_back(generate(*Generator::create(model, pool), prompt, 40));
    // Forty tokens of a tiny model repeat themselves: guesses are made, right ones and wrong ones.
    const Generated guessed = generate(*Generator::create(model, pool), prompt, 40, true);
    EXPECT_EQ(guessed.ids, alone.back().ids);
    EXPECT_EQ(guessed.logits, alone.back().logits);
  }
  for (const std::size_t sequences : {1U, 3U, 7U}) {
    const auto generator = Generator::create(model, pool, {.sequences = sequences});
    std::vector<Generated> together(prompts.size());
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < prompts.size(); ++i) {
      threads.emplace_back([&, i] { together[i] = generate(*generator, prompts[i], 40, true); });
    }
    for (std::thread& thread : threads) thread.join();
    std::size_t reused = 0;
    for (std::size_t i = 0; i < prompts.size(); ++i) {
      EXPECT_EQ(together[i].ids, alone[i].ids) << "request " << i << " of " << sequences;
      EXPECT_EQ(together[i].logits, alone[i].logits) << "request " << i << " of " << sequences;
      if (together[i].reused >= 150) ++reused;
    }
    // Where every request has a sequence of its own, none takes the place of what others share.
    if (sequences == prompts.size()) {
      EXPECT_EQ(reused, 5U) << "the shared beginning is computed once";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Models, SameBits, testing::ValuesIn(all_params()),
                         [](const auto& param_info) {
                           return param_info.param.architecture + "_" +
                                  std::string(dtype_name(param_info.param.type)) + "_" +
                                  param_info.param.kernels;
                         });

}  // namespace
}  // namespace lore::engine
