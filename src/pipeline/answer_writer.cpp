#include "pipeline/answer_writer.hpp"

#include <algorithm>
#include <utility>

#include "lore/error.hpp"
#include "pipeline/answer_prompt.hpp"

namespace lore::pipeline {
namespace {

/// Passes text on as soon as it cannot become the refusal any more: a person shall not read "The
/// passages do not" and then be told the same in our words.
class Stream {
 public:
  explicit Stream(const AskCallbacks& callbacks) : callbacks_(callbacks) {}

  bool operator()(std::string_view piece) {
    if (callbacks_.stop && callbacks_.stop()) return false;
    if (!callbacks_.text) return true;
    if (open_) {
      callbacks_.text(piece);
      return true;
    }
    held_ += piece;
    const std::size_t first = held_.find_first_not_of(" \n\r\t");
    if (first == std::string::npos || may_become_refusal(held_) || is_refusal(held_)) return true;
    open_ = true;
    callbacks_.text(std::string_view(held_).substr(first));
    return true;
  }

 private:
  const AskCallbacks& callbacks_;
  std::string held_;
  bool open_ = false;
};

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
                                             ThreadPool& pool)
    : name_(std::move(name)), model_(std::move(model)), pool_(pool), filter_(model_->tokenizer()) {}

engine::Generator& GeneratedAnswerWriter::generator_for(std::size_t tokens) {
  if (!generator_ || generator_->context() < tokens) {
    generator_ = engine::Generator::create(model_, pool_, {.context = tokens});
  }
  return *generator_;
}

Draft GeneratedAnswerWriter::write(std::string_view question, std::span<const Passage> passages,
                                   const AskOptions& options, const AskCallbacks& callbacks) {
  const std::size_t limit = model_->info().context;
  const std::size_t answer_tokens = std::min(options.max_tokens, limit / 2);
  const std::size_t budget = std::min(options.context_tokens, limit - answer_tokens);
  const AnswerPrompt prompt = build_answer_prompt(*model_, question, passages, budget);
  filter_.begin(prompt.passages, std::string(kRefusal));

  engine::GenerationRequest request;
  request.prompt = prompt.ids;
  request.max_tokens = answer_tokens;
  request.sampling = engine_sampling(options.sampling);
  Stream stream(callbacks);
  request.on_text = [&](std::string_view piece) { return stream(piece); };
  request.filter = [&](std::string_view text, std::span<float> logits) { filter_(text, logits); };
  const engine::GenerationResult result = generator_for(budget + answer_tokens).generate(request);
  if (result.finish == engine::Finish::cancelled) {
    throw Error(ErrorCode::interrupted, "interrupted while the answer was being written");
  }
  return {trimmed(result.text), is_refusal(result.text), prompt.passages, result.prompt_tokens,
          result.tokens.size(), result.prompt_ms,        result.decode_ms};
}

}  // namespace lore::pipeline
