// How fast a model is here, beside what the machine could do.
#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "base/processor.hpp"
#include "lore/library.hpp"
#include "pipeline/library_state.hpp"

namespace lore {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kTextTokens = 256;
constexpr std::size_t kPackedTokens = 512;  // of texts that the engine computes together
constexpr std::size_t kPromptTokens = 512;
constexpr std::size_t kDecodedTokens = 48;
constexpr int kRepeats = 3;
constexpr double kPhaseSeconds = 8;  // after so many no phase is repeated
constexpr double kEmbeddingSeconds = 1.5;
constexpr std::size_t kMostRounds = 16;

// Over the context's length.
constexpr std::size_t kLengths[] = {16, 64, 256, 512, 1024, 2048, 3072};
constexpr std::size_t kMostLength = 4096;
constexpr std::size_t kDecodedAtLength = 16;
constexpr double kLengthSeconds = 1;  // shorter runs are repeated
constexpr double kAllLengthsSeconds = 60;

double since_seconds(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

ModelWork public_work(const engine::Work& work, double tokens) {
  return {work.int8 / tokens, work.bf16 / tokens, work.f32 / tokens, work.bytes / tokens};
}

MachineLimits public_limits(const engine::MachineLimits& limits, unsigned threads) {
  MachineLimits result;
  result.processor = processor_name();
  result.kernels = limits.kernels;
  result.threads = threads;
  result.last_level_cache_bytes = last_level_cache_bytes();
  result.int8_operations_per_second = limits.int8;
  if (limits.bf16 > 0) result.bf16_operations_per_second = limits.bf16;
  result.f32_operations_per_second = limits.f32;
  result.bytes_per_second = limits.bytes;
  return result;
}

std::string_view kind_name(engine::OperationKind kind) {
  switch (kind) {
    case engine::OperationKind::product:
      return "product";
    case engine::OperationKind::attention:
      return "attention";
    case engine::OperationKind::rows:
      break;
  }
  return "rows";
}

/// Tokens and seconds of one run, the fastest of several.
struct Run {
  std::size_t tokens = 0;
  double seconds = 0;

  double speed() const { return static_cast<double>(tokens) / seconds; }
  void keep_faster(const Run& other) {
    if (tokens == 0 || other.speed() > speed()) *this = other;
  }
};

/// Texts of one length that the engine computes together.
std::size_t texts_together(std::size_t length) {
  return std::max<std::size_t>(kPackedTokens / length, 1);
}

/// The share of one such pack of texts.
Run per_pack(const Run& run, std::size_t length) {
  const std::size_t tokens = texts_together(length) * length;
  return {tokens, static_cast<double>(tokens) / run.speed()};
}

struct GenerationRun {
  Run prefill;
  Run decode;  // no tokens where the context has no room for two
};

/// One model that is being measured.
class Bench {
 public:
  Bench(std::shared_ptr<const engine::Model> model, ThreadPool& pool,
        const engine::MachineLimits& limits)
      : model_(std::move(model)), pool_(pool), limits_(limits) {}

  bool generates() const { return model_->info().generates; }
  PhaseSpeed embedding(bool operations);
  void generation(bool operations, ModelSpeed& speed);
  void over_length(ModelSpeed& speed);

 private:
  std::vector<engine::TokenId> some_tokens(std::size_t count);
  std::vector<std::vector<engine::TokenId>> some_texts(std::size_t count, std::size_t length);
  engine::Work pack_work(std::size_t length) const {
    return engine::embedding_work(*model_, texts_together(length), length);
  }
  Run embed(std::size_t length, double seconds);
  GenerationRun generate(std::size_t length, std::size_t decoded);
  PhaseSpeed phase(const Run& run, const engine::Work& work) const;
  LimitShare limit(const engine::Work& work, double seconds) const;
  void add_operations(PhaseSpeed& speed, const engine::PhaseTimes& times) const;
  LengthSpeed at_length(std::size_t length, const Run& run, const engine::Work& work) const;
  std::vector<std::size_t> lengths() const;
  void add_length(std::size_t length, ModelSpeed& speed);

  std::shared_ptr<const engine::Model> model_;
  ThreadPool& pool_;
  const engine::MachineLimits& limits_;
  std::size_t next_token_ = 1;
};

/// Ordinary tokens of the vocabulary, spread over it; no two calls give the same text.
std::vector<engine::TokenId> Bench::some_tokens(std::size_t count) {
  std::vector<engine::TokenId> ids;
  const engine::Tokenizer& tokenizer = model_->tokenizer();
  for (; ids.size() < count; ++next_token_) {
    const auto id = static_cast<engine::TokenId>(next_token_ * 7919 % tokenizer.size());
    if (!tokenizer.is_control(id)) ids.push_back(id);
  }
  return ids;
}

std::vector<std::vector<engine::TokenId>> Bench::some_texts(std::size_t count, std::size_t length) {
  std::vector<std::vector<engine::TokenId>> texts;
  for (std::size_t i = 0; i < count; ++i) texts.push_back(some_tokens(length));
  return texts;
}

LimitShare Bench::limit(const engine::Work& work, double seconds) const {
  const engine::LeastTime least = engine::least_time(work, limits_);
  return {least.seconds / seconds, std::string(engine::bound_name(least.bound))};
}

PhaseSpeed Bench::phase(const Run& run, const engine::Work& work) const {
  PhaseSpeed speed;
  speed.tokens = run.tokens;
  speed.tokens_per_second = run.speed();
  speed.work_per_token = public_work(work, static_cast<double>(run.tokens));
  speed.limit = limit(work, run.seconds);
  return speed;
}

void Bench::add_operations(PhaseSpeed& speed, const engine::PhaseTimes& times) const {
  double left = times.seconds;
  for (const engine::OperationTime& time : times.operations) {
    OperationSpeed operation;
    operation.kind = kind_name(time.kind);
    operation.name = time.name;
    operation.calls = time.calls;
    operation.seconds = time.seconds;
    operation.work = public_work(time.work, 1);
    if (time.kind != engine::OperationKind::rows) operation.limit = limit(time.work, time.seconds);
    left -= time.seconds;
    speed.operations.push_back(std::move(operation));
  }
  speed.operations.push_back({"other", "other", 0, std::max(left, 0.0), {}, {}});
  speed.operations_seconds = times.seconds;
}

/// Whole rounds of texts for all threads, as many as take about so many seconds.
Run Bench::embed(std::size_t length, double seconds) {
  const auto embedder = engine::Embedder::create(model_, pool_);
  const std::size_t round = texts_together(length) * pool_.size();
  const auto run = [&](std::size_t texts) {
    const auto ids = some_texts(texts, length);
    std::vector<float> out(texts * embedder->dimension());
    const Clock::time_point start = Clock::now();
    embedder->embed(ids, out);
    return Run{texts * length, since_seconds(start)};
  };
  Run best = run(round);
  const double rounds = std::clamp(seconds / best.seconds, 1.0, double{kMostRounds});
  const Clock::time_point start = Clock::now();
  for (int i = 0; i < kRepeats && since_seconds(start) < kPhaseSeconds; ++i) {
    best.keep_faster(run(round * static_cast<std::size_t>(rounds)));
  }
  return best;
}

PhaseSpeed Bench::embedding(bool operations) {
  const std::size_t length = std::min(kTextTokens, model_->info().context);
  const Run run = embed(length, kEmbeddingSeconds);
  PhaseSpeed speed = phase(per_pack(run, length), pack_work(length));
  speed.tokens = length;
  if (operations) {
    const auto texts = some_texts(texts_together(length) * 2 * pool_.size(), length);
    add_operations(speed, engine::time_embedding(*model_, pool_, texts));
  }
  return speed;
}

/// A prompt and what follows it, token by token: a guess from the context would show how well these
/// meaningless tokens can be guessed, not how fast they are computed.
GenerationRun Bench::generate(std::size_t length, std::size_t decoded) {
  // A new generator: a prompt that is in the cache already would cost nothing.
  const auto generator = engine::Generator::create(model_, pool_, {.context = length + decoded});
  engine::GenerationRequest request;
  request.prompt = some_tokens(length);
  request.max_tokens = decoded;
  request.ignore_end = true;
  request.lookup = false;
  const engine::GenerationResult result = generator->generate(request);
  GenerationRun run;
  run.prefill = {length, result.prompt_ms / 1000};
  // The first token needs no pass of its own: the prompt's logits are there.
  if (result.tokens.size() > 1) run.decode = {result.tokens.size() - 1, result.decode_ms / 1000};
  return run;
}

void Bench::generation(bool operations, ModelSpeed& speed) {
  const std::size_t context = model_->info().context;
  const std::size_t length = std::clamp<std::size_t>(context / 2, 1, kPromptTokens);
  const std::size_t decoded = std::min(kDecodedTokens, context - length);
  GenerationRun best;
  const Clock::time_point start = Clock::now();
  for (int i = 0; i < kRepeats && (i == 0 || since_seconds(start) < kPhaseSeconds); ++i) {
    const GenerationRun run = generate(length, decoded);
    best.prefill.keep_faster(run.prefill);
    if (run.decode.tokens > 0) best.decode.keep_faster(run.decode);
  }
  speed.prefill = phase(best.prefill, engine::prompt_work(*model_, length));
  const std::size_t passes = best.decode.tokens;
  if (passes > 0) {
    speed.decode = phase(best.decode, engine::decode_work(*model_, length, passes));
  }
  if (!operations) return;
  const engine::GenerationTimes times =
      engine::time_generation(*model_, pool_, some_tokens(length), passes);
  add_operations(*speed.prefill, times.prompt);
  if (speed.decode) add_operations(*speed.decode, times.decode);
}

LengthSpeed Bench::at_length(std::size_t length, const Run& run, const engine::Work& work) const {
  const double least = engine::least_time(work, limits_).seconds;
  return {length, run.speed(), static_cast<double>(run.tokens) / least};
}

/// The lengths that the model has room for, the largest included.
std::vector<std::size_t> Bench::lengths() const {
  const std::size_t after = generates() ? kDecodedAtLength : 0;
  const std::size_t context = model_->info().context;
  const std::size_t most = std::min(context - std::min(context, after), kMostLength);
  std::vector<std::size_t> lengths;
  std::copy_if(std::begin(kLengths), std::end(kLengths), std::back_inserter(lengths),
               [&](std::size_t length) { return length < most; });
  if (most > 0) lengths.push_back(most);
  return lengths;
}

void Bench::add_length(std::size_t length, ModelSpeed& speed) {
  if (!generates()) {
    const Run run = per_pack(embed(length, kLengthSeconds / kRepeats), length);
    speed.embedding_over_length.push_back(at_length(length, run, pack_work(length)));
    return;
  }
  GenerationRun best;
  const Clock::time_point start = Clock::now();
  for (int i = 0; i < kRepeats && (i == 0 || since_seconds(start) < kLengthSeconds); ++i) {
    const GenerationRun run = generate(length, kDecodedAtLength);
    best.prefill.keep_faster(run.prefill);
    best.decode.keep_faster(run.decode);
  }
  speed.prefill_over_length.push_back(
      at_length(length, best.prefill, engine::prompt_work(*model_, length)));
  speed.decode_over_length.push_back(
      at_length(length, best.decode, engine::decode_work(*model_, length, best.decode.tokens)));
}

void Bench::over_length(ModelSpeed& speed) {
  const Clock::time_point start = Clock::now();
  double last_seconds = 0;
  std::size_t last_length = 0;
  for (const std::size_t length : lengths()) {
    // What a length takes grows somewhat faster than the length itself.
    const double growth = last_length == 0 ? 0 : double(length) / double(last_length);
    if (since_seconds(start) + last_seconds * growth * 1.2 > kAllLengthsSeconds) return;
    const Clock::time_point length_start = Clock::now();
    add_length(length, speed);
    last_seconds = since_seconds(length_start);
    last_length = length;
  }
}

}  // namespace

MachineLimits Library::measure_limits() {
  ThreadPool& pool = state_->runtime->pool();
  return public_limits(engine::measure_limits(pool, state_->runtime->options().kernels),
                       pool.size());
}

ModelSpeed Library::measure_model(const std::string& model, const BenchOptions& options) {
  const auto tell = [&](std::string_view what) {
    if (options.progress) options.progress(what);
  };
  ThreadPool& pool = state_->runtime->pool();
  ModelSpeed speed;
  speed.name = model;
  tell("loading the model");
  const Clock::time_point start = Clock::now();
  const std::shared_ptr<const engine::Model> loaded = state_->runtime->load(model);
  speed.load_ms = since_seconds(start) * 1000;
  tell("measuring the machine");
  const engine::MachineLimits limits =
      engine::measure_limits(pool, state_->runtime->options().kernels);
  speed.limits = public_limits(limits, pool.size());
  Bench bench(loaded, pool, limits);
  tell("measuring embedding");
  speed.embedding = bench.embedding(options.operations);
  if (bench.generates()) {
    tell("measuring prompt and answer");
    bench.generation(options.operations, speed);
  }
  if (options.over_length) {
    tell("measuring over the context's length");
    bench.over_length(speed);
  }
  return speed;
}

}  // namespace lore
