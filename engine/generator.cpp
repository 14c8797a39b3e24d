#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "engine/engine.hpp"
#include "engine/loaded_model.hpp"
#include "engine/text_stream.hpp"
#include "lore/error.hpp"

namespace lore::engine {
namespace {

constexpr std::size_t kDefaultContext = 4096;
constexpr std::size_t kPromptPiece = 512;  // tokens of a prompt that are computed together

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

KvShape cache_shape(const graph::Program& program, std::size_t context, CacheType type) {
  if (type == CacheType::q8_0 && program.head_dim % 32 != 0) {
    throw Error(ErrorCode::invalid_argument,
                "a q8_0 cache needs heads of a multiple of 32 values, this model's have " +
                    std::to_string(program.head_dim) + "; use f16");
  }
  return {program.attention_layers, program.kv_heads, program.head_dim, context, kv_format(type)};
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
        cache_(cache_shape(loaded_.executable().program(), context_, options.cache_type)),
        session_(loaded_.executable().create_session(pool)),
        logits_(model_->info().vocabulary) {}

  std::size_t context() const override { return context_; }

  GenerationResult generate(const GenerationRequest& request) override;
  std::vector<float> logits(std::span<const TokenId> prompt) override;

 private:
  /// Computes tokens from position `first` on; the last one's logits go to logits_.
  void compute(std::span<const TokenId> tokens, std::size_t first, TokenKind kind);
  /// Brings the cache to the prompt's end, or as far as `keep_going` lets it. Returns how many
  /// tokens it held already.
  std::size_t enter_prompt(std::span<const TokenId> prompt,
                           const std::function<bool()>& keep_going);
  GeneratedToken choose(const GenerationRequest& request, const std::string& text,
                        Sampler& sampler);
  void check(const GenerationRequest& request) const;
  void check_prompt(std::span<const TokenId> prompt, std::size_t room) const;

  std::shared_ptr<const Model> model_;
  const LoadedModel& loaded_;
  std::size_t context_;
  KvCache cache_;
  std::unique_ptr<Session> session_;
  std::vector<TokenId> cached_;    // whose keys and values the cache holds, from position 0
  std::vector<float> logits_;      // [vocabulary], after the last token computed
  std::vector<float> unfiltered_;  // [tokens], the model's own, where log-probabilities are wanted
};

void ModelGenerator::compute(std::span<const TokenId> tokens, std::size_t first, TokenKind kind) {
  const SequenceRows sequence{0, tokens.size(), first, &cache_};
  const auto last = static_cast<std::uint32_t>(tokens.size() - 1);
  Batch batch;
  batch.kind = kind;
  batch.tokens = tokens;
  batch.sequences = {&sequence, 1};
  batch.selected = {&last, 1};
  batch.logits = logits_.data();
  session_->run(batch);
}

std::size_t ModelGenerator::enter_prompt(std::span<const TokenId> prompt,
                                         const std::function<bool()>& keep_going) {
  const auto differ =
      std::mismatch(prompt.begin(), prompt.end(), cached_.begin(), cached_.end()).first;
  // The last token is always computed: its logits are needed.
  const std::size_t reused =
      std::min(static_cast<std::size_t>(differ - prompt.begin()), prompt.size() - 1);
  cached_.resize(reused);  // so that a failure on the way leaves what is true
  std::size_t position = reused;
  while (position < prompt.size() && (!keep_going || keep_going())) {
    const std::size_t count = std::min(kPromptPiece, prompt.size() - position);
    const auto piece = prompt.subspan(position, count);
    compute(piece, position, TokenKind::prompt);
    cached_.insert(cached_.end(), piece.begin(), piece.end());
    position += count;
  }
  return reused;
}

GeneratedToken ModelGenerator::choose(const GenerationRequest& request, const std::string& text,
                                      Sampler& sampler) {
  // Rows past the tokenizer's vocabulary pad the matrix; they are no tokens.
  const auto choice = std::span(logits_).first(model_->tokenizer().size());
  if (!forbid_what_is_no_number(choice)) {
    throw Error(ErrorCode::corrupt,
                model_->info().path.string() +
                    ": the model computes no finite numbers; its file is damaged, get it again");
  }
  const bool want = request.want_logprobs || request.logprobs > 0;
  if (want) unfiltered_.assign(choice.begin(), choice.end());
  if (request.filter) request.filter(text, choice);
  if (std::none_of(choice.begin(), choice.end(), [](float x) { return std::isfinite(x); })) {
    throw Error(ErrorCode::invalid_argument, "the filter of this request forbids every token");
  }
  GeneratedToken token;
  token.id = sampler.sample(choice);
  sampler.accept(token.id);
  if (want) {
    token.logprob = logprob_of(unfiltered_, token.id);
    token.top = top_logprobs(unfiltered_, request.logprobs);
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
  result.reused_tokens = enter_prompt(request.prompt, request.keep_going);
  result.prompt_ms = milliseconds_since(prompt_start);

  const auto decode_start = Clock::now();
  const auto go_on = [&] { return !request.keep_going || request.keep_going(); };
  bool wanted = cached_.size() == request.prompt.size();
  while (wanted && result.tokens.size() < limit) {
    if (!result.tokens.empty()) {
      const TokenId last = result.tokens.back().id;
      compute({&last, 1}, cached_.size(), TokenKind::generated);
      cached_.push_back(last);
    }
    GeneratedToken token = choose(request, stream.text() + stream.pending(), sampler);
    const TokenId id = token.id;
    if (!request.ignore_end && model_->tokenizer().is_end_of_generation(id)) {
      result.finish = Finish::stop;
      break;
    }
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
  cached_.clear();
  const std::size_t vocabulary = model_->info().vocabulary;
  std::vector<float> result(prompt.size() * vocabulary);
  std::vector<std::uint32_t> all(kPromptPiece);
  std::iota(all.begin(), all.end(), 0U);
  for (std::size_t begin = 0; begin < prompt.size(); begin += kPromptPiece) {
    const std::size_t count = std::min(kPromptPiece, prompt.size() - begin);
    const SequenceRows sequence{0, count, begin, &cache_};
    Batch batch;
    batch.tokens = prompt.subspan(begin, count);
    batch.sequences = {&sequence, 1};
    batch.selected = std::span(all).first(count);
    batch.logits = result.data() + begin * vocabulary;
    session_->run(batch);
  }
  cached_.assign(prompt.begin(), prompt.end());
  return result;
}

}  // namespace

std::unique_ptr<Generator> Generator::create(std::shared_ptr<const Model> model, ThreadPool& pool,
                                             const GeneratorOptions& options) {
  return std::make_unique<ModelGenerator>(std::move(model), pool, options);
}

}  // namespace lore::engine
