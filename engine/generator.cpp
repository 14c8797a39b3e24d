#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "engine/batch_queue.hpp"
#include "engine/engine.hpp"
#include "engine/loaded_model.hpp"
#include "engine/next_logits.hpp"
#include "engine/sequences.hpp"
#include "engine/text_stream.hpp"
#include "lore/error.hpp"

namespace lore::engine {
namespace {

constexpr std::size_t kDefaultContext = 4096;

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

KvFormat kv_format(CacheType type) {
  switch (type) {
    case CacheType::f32:
      return KvFormat::f32;
    case CacheType::f16:
      return KvFormat::f16;
    case CacheType::q8_0:
      break;
  }
  return KvFormat::q8_0;
}

KvShape cache_shape(const graph::Program& program, CacheType type) {
  if (type == CacheType::q8_0 && program.head_dim % 32 != 0) {
    throw Error(ErrorCode::invalid_argument,
                "a q8_0 cache needs heads of a multiple of 32 values, this model's have " +
                    std::to_string(program.head_dim) + "; use f16");
  }
  return {program.attention_layers, program.kv_heads, program.head_dim, kv_format(type)};
}

std::size_t checked_context(const ModelInfo& info, std::size_t context) {
  if (!info.generates) {
    throw Error(ErrorCode::invalid_argument,
                info.path.string() + ": a model of architecture " + info.architecture +
                    " cannot generate text",
                info.architecture);
  }
  if (context == 0) return std::min(info.context, kDefaultContext);
  if (context > info.context) {
    throw Error(ErrorCode::invalid_argument, "a context of " + std::to_string(context) +
                                                 " tokens is over the model's " +
                                                 std::to_string(info.context));
  }
  return context;
}

/// Broken weights give NaN. Returns whether any finite logit is left.
bool forbid_what_is_no_number(std::span<float> logits) {
  bool any = false;
  for (float& x : logits) {
    const bool finite = std::isfinite(x);
    any = any || finite;
    if (!finite) x = -std::numeric_limits<float>::infinity();
  }
  return any;
}

class ModelGenerator final : public Generator {
 public:
  ModelGenerator(std::shared_ptr<const Model> model, ThreadPool& pool,
                 const GeneratorOptions& options)
      : model_(std::move(model)),
        loaded_(LoadedModel::of(*model_)),
        context_(checked_context(model_->info(), options.context)),
        sequences_(cache_shape(loaded_.executable().program(), options.cache_type),
                   std::max<std::size_t>(options.sequences, 1)),
        queue_(loaded_.executable().create_session(pool), model_->info().vocabulary) {}

  std::size_t context() const override { return context_; }

  GenerationResult generate(const GenerationRequest& request) override;
  std::vector<float> logits(std::span<const TokenId> prompt) override;

 private:
  /// Brings the cache to the prompt's end, or as far as `keep_going` lets it. Returns the logits
  /// after the prompt; none where it was not reached.
  std::span<float> enter_prompt(const GenerationRequest& request, Sequences::Lease& sequence,
                                BatchQueue::Member& member) const;
  GeneratedToken choose(const GenerationRequest& request, const std::string& text,
                        std::span<float> logits, Sampler& sampler) const;
  void check(const GenerationRequest& request) const;
  void check_prompt(std::span<const TokenId> prompt, std::size_t room) const;

  std::shared_ptr<const Model> model_;
  const LoadedModel& loaded_;
  std::size_t context_;
  Sequences sequences_;
  BatchQueue queue_;
};

std::span<float> ModelGenerator::enter_prompt(const GenerationRequest& request,
                                              Sequences::Lease& sequence,
                                              BatchQueue::Member& member) const {
  const std::span<const TokenId> prompt = request.prompt;
  std::span<float> logits;
  while (sequence.size() < prompt.size() && (!request.keep_going || request.keep_going())) {
    const std::size_t position = sequence.size();
    const auto piece = prompt.subspan(position, std::min(kPromptPiece, prompt.size() - position));
    const bool last = position + piece.size() == prompt.size();
    sequence.prepare(piece.size());
    logits = member.compute(
        {TokenKind::prompt, piece, position, &sequence.cache(), last ? std::size_t{1} : 0});
    sequence.extend(piece);
  }
  return logits;
}

GeneratedToken ModelGenerator::choose(const GenerationRequest& request, const std::string& text,
                                      std::span<float> logits, Sampler& sampler) const {
  // Rows past the tokenizer's vocabulary pad the matrix; they are no tokens.
  const auto choice = logits.first(model_->tokenizer().size());
  if (!forbid_what_is_no_number(choice)) {
    throw Error(ErrorCode::corrupt,
                model_->info().path.string() +
                    ": the model computes no finite numbers; its file is damaged, get it again");
  }
  // The model's own, before the filter.
  std::vector<float> unfiltered;
  const bool want = request.want_logprobs || request.logprobs > 0;
  if (want) unfiltered.assign(choice.begin(), choice.end());
  if (request.filter) request.filter(text, choice);
  if (std::none_of(choice.begin(), choice.end(), [](float x) { return std::isfinite(x); })) {
    throw Error(ErrorCode::invalid_argument, "the filter of this request forbids every token");
  }
  GeneratedToken token;
  token.id = sampler.sample(choice);
  sampler.accept(token.id);
  if (want) {
    token.logprob = logprob_of(unfiltered, token.id);
    token.top = top_logprobs(unfiltered, request.logprobs);
  }
  return token;
}

void ModelGenerator::check_prompt(std::span<const TokenId> prompt, std::size_t room) const {
  if (prompt.empty()) throw Error(ErrorCode::invalid_argument, "the prompt has no token");
  loaded_.check_ids(prompt);
  if (prompt.size() + room > context_) {
    throw Error(ErrorCode::limit_exceeded,
                "the prompt has " + std::to_string(prompt.size()) +
                    " tokens, and the context holds " + std::to_string(context_) +
                    " with the answer; shorten the prompt or raise the context");
  }
}

void ModelGenerator::check(const GenerationRequest& request) const {
  check_prompt(request.prompt, 1);
  validate(request.sampling);
  if (request.logprobs > model_->tokenizer().size()) {
    throw Error(ErrorCode::invalid_argument, "more alternatives asked for than there are tokens");
  }
}

GenerationResult ModelGenerator::generate(const GenerationRequest& request) {
  check(request);
  GenerationResult result;
  result.prompt_tokens = request.prompt.size();
  result.finish = Finish::length;
  const std::size_t limit = std::min(request.max_tokens, context_ - request.prompt.size());
  Sampler sampler(request.sampling);
  for (const TokenId id : request.prompt) sampler.accept(id);
  TextStream stream(request.stop);
  const auto show = [&](const std::string& text) {
    return text.empty() || !request.on_text || request.on_text(text);
  };

  const auto prompt_start = Clock::now();
  std::optional<Sequences::Lease> lease = sequences_.begin(request.prompt, request.keep_going);
  if (!lease) {
    result.finish = Finish::cancelled;
    return result;
  }
  Sequences::Lease& sequence = *lease;
  BatchQueue::Member member(queue_);
  result.reused_tokens = sequence.size();
  const std::span<float> after_prompt = enter_prompt(request, sequence, member);
  result.prompt_ms = milliseconds_since(prompt_start);

  const auto decode_start = Clock::now();
  const auto go_on = [&] { return !request.keep_going || request.keep_going(); };
  NextLogits next(sequence, member, request.prompt, after_prompt, model_->info().vocabulary,
                  request.lookup);
  bool wanted = !after_prompt.empty();
  while (wanted && result.tokens.size() < limit) {
    const std::span<float> logits = next.logits(limit - result.tokens.size());
    GeneratedToken token = choose(request, stream.text() + stream.pending(), logits, sampler);
    const TokenId id = token.id;
    next.accept(id);
    if (!request.ignore_end && model_->tokenizer().is_end_of_generation(id)) {
      result.finish = Finish::stop;
      break;
    }
    if (request.on_token) request.on_token(token);
    result.tokens.push_back(std::move(token));
    wanted = show(stream.push(model_->tokenizer().piece(id))) && go_on();
    if (stream.stopped()) {
      result.finish = Finish::stop_string;
      break;
    }
  }
  if (wanted) wanted = show(stream.finish());
  if (!wanted) result.finish = Finish::cancelled;
  result.text = stream.text();
  result.decode_ms = milliseconds_since(decode_start);
  return result;
}

std::vector<float> ModelGenerator::logits(std::span<const TokenId> prompt) {
  check_prompt(prompt, 0);
  sequences_.clear();
  std::optional<Sequences::Lease> lease = sequences_.begin(prompt, {});
  Sequences::Lease& sequence = lease.value();  // nothing ends the wait for it
  BatchQueue::Member member(queue_);
  std::vector<float> result;
  result.reserve(prompt.size() * model_->info().vocabulary);
  for (std::size_t begin = 0; begin < prompt.size(); begin += kPromptPiece) {
    const auto piece = prompt.subspan(begin, std::min(kPromptPiece, prompt.size() - begin));
    sequence.prepare(piece.size());
    const std::span<float> rows =
        member.compute({TokenKind::prompt, piece, begin, &sequence.cache(), piece.size()});
    result.insert(result.end(), rows.begin(), rows.end());
    sequence.extend(piece);
  }
  return result;
}

}  // namespace

std::unique_ptr<Generator> Generator::create(std::shared_ptr<const Model> model, ThreadPool& pool,
                                             const GeneratorOptions& options) {
  return std::make_unique<ModelGenerator>(std::move(model), pool, options);
}

}  // namespace lore::engine
