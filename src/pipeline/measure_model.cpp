#include <algorithm>
#include <chrono>

#include "lore/library.hpp"
#include "pipeline/library_state.hpp"

namespace lore {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kChunkTokens = 256;
constexpr std::size_t kChunks = 16;
constexpr std::size_t kPromptTokens = 512;
constexpr std::size_t kDecodedTokens = 48;
constexpr int kRepeats = 3;

double since_seconds(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Ordinary tokens of the vocabulary, spread over it; the speed does not depend on which.
std::vector<engine::TokenId> some_tokens(const engine::Tokenizer& tokenizer, std::size_t count) {
  std::vector<engine::TokenId> ids;
  const std::size_t size = tokenizer.size();
  for (std::size_t i = 1; ids.size() < count; ++i) {
    const auto id = static_cast<engine::TokenId>(i * 7919 % size);
    if (!tokenizer.is_control(id)) ids.push_back(id);
  }
  return ids;
}

double embedding_speed(const std::shared_ptr<const engine::Model>& model, ThreadPool& pool) {
  const auto embedder = engine::Embedder::create(model, pool);
  const std::size_t length = std::min(kChunkTokens, embedder->max_tokens());
  const std::vector<std::vector<engine::TokenId>> chunks(kChunks,
                                                         some_tokens(model->tokenizer(), length));
  std::vector<float> out(kChunks * embedder->dimension());
  double best = 0;
  for (int i = 0; i < kRepeats; ++i) {
    const Clock::time_point start = Clock::now();
    embedder->embed(chunks, out);
    best = std::max(best, static_cast<double>(kChunks * length) / since_seconds(start));
  }
  return best;
}

void generation_speed(const std::shared_ptr<const engine::Model>& model, ThreadPool& pool,
                      ModelSpeed& speed) {
  engine::GenerationRequest request;
  const std::size_t length = std::min(kPromptTokens, model->info().context / 2);
  request.prompt = some_tokens(model->tokenizer(), length);
  request.max_tokens = kDecodedTokens;
  request.ignore_end = true;
  double prefill = 0;
  double decode = 0;
  for (int i = 0; i < kRepeats; ++i) {
    // A new generator: a prompt that is in the cache already would cost nothing.
    const auto generator =
        engine::Generator::create(model, pool, {.context = length + kDecodedTokens});
    const engine::GenerationResult result = generator->generate(request);
    prefill = std::max(prefill, static_cast<double>(length) / result.prompt_ms * 1000);
    if (result.tokens.size() > 1) {
      decode =
          std::max(decode, static_cast<double>(result.tokens.size() - 1) / result.decode_ms * 1000);
    }
  }
  speed.prefill_tokens_per_second = prefill;
  speed.decode_tokens_per_second = decode;
}

}  // namespace

ModelSpeed Library::measure_model(const std::string& model) {
  const Clock::time_point start = Clock::now();
  const std::shared_ptr<const engine::Model> loaded = state_->runtime->load(model);
  ModelSpeed speed;
  speed.load_ms = since_seconds(start) * 1000;
  speed.name = model;
  speed.kernels = loaded->info().kernels;
  speed.threads = state_->runtime->pool().size();
  speed.embedding_tokens_per_second = embedding_speed(loaded, state_->runtime->pool());
  if (loaded->info().generates) generation_speed(loaded, state_->runtime->pool(), speed);
  return speed;
}

}  // namespace lore
