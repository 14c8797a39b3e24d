// The measurements that the door offers, over a session of their own.
#include <algorithm>
#include <chrono>
#include <numeric>
#include <utility>

#include "engine/engine.hpp"
#include "engine/loaded_model.hpp"

namespace lore::engine {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// One sequence in a cache of its own: tokens of one kind after those before.
class CachedSequence {
 public:
  explicit CachedSequence(const Model& model)
      : executable_(LoadedModel::of(model).executable()),
        cache_({executable_.program().attention_layers, executable_.program().kv_heads,
                executable_.program().head_dim, KvFormat::f16}),
        logits_(executable_.program().vocabulary) {}

  /// Calls compute(batch) for the tokens, which come after `position` others.
  template <typename Compute>
  void pass(TokenKind kind, std::span<const TokenId> tokens, std::size_t position, bool want_logits,
            Compute compute) {
    const SequenceRows rows{0, tokens.size(), position, &cache_};
    const auto last = static_cast<std::uint32_t>(tokens.size() - 1);
    Batch batch;
    batch.kind = kind;
    batch.tokens = tokens;
    batch.sequences = {&rows, 1};
    if (want_logits) {
      batch.selected = {&last, 1};
      batch.logits = logits_.data();
    }
    compute(batch);
  }

  /// compute(batch) for the pieces of a prompt, as a generator cuts it.
  template <typename Compute>
  void prompt(std::span<const TokenId> tokens, Compute compute) {
    for (std::size_t begin = 0; begin < tokens.size(); begin += kPromptPiece) {
      const auto piece = tokens.subspan(begin, std::min(kPromptPiece, tokens.size() - begin));
      pass(TokenKind::prompt, piece, begin, begin + piece.size() == tokens.size(), compute);
    }
  }

  /// compute(batch) for `count` tokens generated one by one after `depth` others.
  template <typename Compute>
  void decode(std::size_t depth, std::size_t count, Compute compute) {
    const TokenId token = 0;
    for (std::size_t i = 0; i < count; ++i) {
      pass(TokenKind::generated, {&token, 1}, depth + i, true, compute);
    }
  }

  KvCache& cache() { return cache_; }

 private:
  const Executable& executable_;
  KvCache cache_;
  std::vector<float> logits_;
};

/// What the session records while body() computes.
template <typename Body>
PhaseTimes recorded(Session& session, Body body) {
  session.record();
  const Clock::time_point start = Clock::now();
  body();
  return {seconds_since(start), session.recorded()};
}

}  // namespace

MachineLimits measure_limits(ThreadPool& pool, std::string_view kernels) {
  return create_cpu_backend(kernels)->measure_limits(pool);
}

Work embedding_work(const Model& model, std::size_t texts, std::size_t tokens) {
  const std::vector<TokenId> ids(texts * tokens);
  std::vector<std::uint32_t> selected(texts * tokens);
  std::iota(selected.begin(), selected.end(), 0U);
  std::vector<SequenceRows> sequences;
  for (std::size_t i = 0; i < texts; ++i) sequences.push_back({i * tokens, tokens, 0, nullptr});
  float not_written = 0;  // says that the rows are wanted
  Batch batch;
  batch.tokens = ids;
  batch.sequences = sequences;
  batch.selected = selected;
  batch.hidden = &not_written;
  return LoadedModel::of(model).executable().work(batch);
}

Work prompt_work(const Model& model, std::size_t tokens) {
  const Executable& executable = LoadedModel::of(model).executable();
  CachedSequence sequence(model);
  Work work;
  sequence.prompt(std::vector<TokenId>(tokens),
                  [&](const Batch& batch) { work += executable.work(batch); });
  return work;
}

Work decode_work(const Model& model, std::size_t depth, std::size_t tokens) {
  const Executable& executable = LoadedModel::of(model).executable();
  CachedSequence sequence(model);
  Work work;
  sequence.decode(depth, tokens, [&](const Batch& batch) { work += executable.work(batch); });
  return work;
}

PhaseTimes time_embedding(const Model& model, ThreadPool& pool,
                          std::span<const std::vector<TokenId>> texts) {
  const LoadedModel& loaded = LoadedModel::of(model);
  for (const std::vector<TokenId>& text : texts) loaded.check_ids(text);
  const std::unique_ptr<Session> session = loaded.executable().create_session(pool);
  const std::vector<std::span<const std::int32_t>> views(texts.begin(), texts.end());
  const auto compute = [&] {
    session->run_all(views, EmbedderOptions().batch_tokens, [](std::size_t, auto) {});
  };
  compute();  // memory that is touched for the first time costs more
  return recorded(*session, compute);
}

GenerationTimes time_generation(const Model& model, ThreadPool& pool,
                                std::span<const TokenId> prompt, std::size_t generated) {
  const LoadedModel& loaded = LoadedModel::of(model);
  loaded.check_ids(prompt);
  const std::unique_ptr<Session> session = loaded.executable().create_session(pool);
  CachedSequence sequence(model);
  sequence.cache().prepare(0, prompt.size() + generated);
  const auto run = [&](const Batch& batch) { session->run(batch); };
  sequence.decode(0, 1, run);  // memory that is touched for the first time costs more
  GenerationTimes times;
  times.prompt = recorded(*session, [&] { sequence.prompt(prompt, run); });
  times.decode = recorded(*session, [&] { sequence.decode(prompt.size(), generated, run); });
  return times;
}

}  // namespace lore::engine
