#include "pipeline/answer_writer.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "lore/error.hpp"
#include "pipeline/answer_prompt.hpp"
#include "pipeline/check_answer.hpp"

namespace lore::pipeline {
namespace {

// How far the refusal's first token is ahead of the best other one, in logits, when the model
// begins to write. Asked for a sentence of refusal, qwen-1.5b writes it for a third of the
// questions that it can answer rightly, so it may refuse by itself only where it is sure. Where it
// merely leans that way, its answer has to be supported by what it cites (docs/answers.md has the
// figures).
constexpr float kSureRefusal = 4.0F;
constexpr float kDoubt = 1.5F;

/// Passes text on as it comes; a doubtful answer is held back until it has been checked.
class Stream {
 public:
  explicit Stream(const AskCallbacks& callbacks) : callbacks_(callbacks) {}

  bool operator()(std::string_view piece, bool hold) {
    if (!callbacks_.text || hold) return true;
    if (!begun_) piece.remove_prefix(std::min(piece.find_first_not_of(" \n\r\t"), piece.size()));
    if (piece.empty()) return true;
    begun_ = true;
    callbacks_.text(piece);
    return true;
  }

 private:
  const AskCallbacks& callbacks_;
  bool begun_ = false;
};

/// Lets the model refuse only where it is sure to. Returns how much it leans towards refusing.
float weigh_refusal(std::span<float> logits, engine::TokenId refusal) {
  const auto index = static_cast<std::size_t>(refusal);
  const float own = logits[index];
  logits[index] = -std::numeric_limits<float>::infinity();
  const float lead = own - *std::max_element(logits.begin(), logits.end());
  if (lead >= kSureRefusal) logits[index] = own;
  return lead;
}

std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1));
}

}  // namespace

engine::SamplingOptions engine_sampling(const Sampling& sampling) {
  engine::SamplingOptions options;
  options.temperature = sampling.temperature;
  options.top_k = sampling.top_k;
  options.top_p = sampling.top_p;
  options.min_p = sampling.min_p;
  options.repeat_penalty = sampling.repeat_penalty;
  options.frequency_penalty = sampling.frequency_penalty;
  options.presence_penalty = sampling.presence_penalty;
  options.seed = sampling.seed;
  engine::validate(options);
  return options;
}

GeneratedAnswerWriter::GeneratedAnswerWriter(std::string name,
                                             std::shared_ptr<const engine::Model> model,
                                             SharedGenerator& generator)
    : name_(std::move(name)),
      model_(std::move(model)),
      generator_(generator),
      filter_(model_->tokenizer()) {}

Draft GeneratedAnswerWriter::write(std::string_view question, std::span<const Passage> passages,
                                   const AskOptions& options, const AskCallbacks& callbacks) {
  const std::size_t limit = model_->info().context;
  const std::size_t answer_tokens = std::min(options.max_tokens, limit / 2);
  const std::size_t budget = std::min(options.context_tokens, limit - answer_tokens);
  const AnswerPrompt prompt = build_answer_prompt(*model_, question, passages, budget);
  const std::vector<Passage> given = passages_of(passages, prompt.given);
  filter_.begin(prompt.given, std::string(kRefusal), [&given](std::string_view sentence) {
    return supporting_passage(sentence, given);
  });

  engine::GenerationRequest request;
  request.prompt = prompt.ids;
  request.max_tokens = answer_tokens;
  request.sampling = engine_sampling(options.sampling);
  request.stop = {'\n' + std::string(kQuestionLabel)};
  const engine::TokenId refusal =
      model_->tokenizer().ids(kRefusal, {.add_special = false, .parse_special = false}).front();
  Stream stream(callbacks);
  bool doubtful = false;
  request.on_text = [&](std::string_view piece) { return stream(piece, doubtful); };
  if (callbacks.stop) request.keep_going = [&] { return !callbacks.stop(); };
  request.filter = [&](std::string_view text, std::span<float> logits) {
    if (text.empty()) doubtful = weigh_refusal(logits, refusal) >= kDoubt;
    filter_(text, logits);
  };
  const auto generator = generator_.get(model_, budget + answer_tokens);
  const engine::GenerationResult result = generator->generate(request);
  if (result.finish == engine::Finish::cancelled) {
    throw Error(ErrorCode::interrupted, "interrupted while the answer was being written");
  }
  Draft draft;
  draft.text = trimmed(result.text);
  draft.refused = is_refusal(result.text);
  draft.doubtful = doubtful;
  draft.given = prompt.given;
  draft.prompt_tokens = result.prompt_tokens;
  draft.generated_tokens = result.tokens.size();
  draft.prefill_ms = result.prompt_ms;
  draft.decode_ms = result.decode_ms;
  return draft;
}

}  // namespace lore::pipeline
