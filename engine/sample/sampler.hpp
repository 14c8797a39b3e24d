// Choosing the next token from the model's logits.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "engine/tokenizer/tokenizer.hpp"

namespace lore::engine {

/// Defaults are greedy. Applied in this order: penalties, (greedy if temperature is 0), top_k,
/// top_p, min_p, temperature, draw.
struct SamplingOptions {
  float temperature = 0;          ///< 0 is greedy; ties go to the lower id
  std::int32_t top_k = 40;        ///< 0 keeps all
  float top_p = 0.95F;            ///< 1 keeps all
  float min_p = 0.05F;            ///< 0 keeps all
  float repeat_penalty = 1;       ///< 1 is off (Keskar et al. 2019)
  float frequency_penalty = 0;    ///< OpenAI's definition
  float presence_penalty = 0;
  std::int32_t penalty_window = 64;  ///< how many of the last tokens the penalties look at
  std::uint64_t seed = 0;
};

/// Checks the ranges. Throws Error{invalid_argument} that names the option.
void validate(const SamplingOptions& options);

/// Keeps the random state and the recent tokens of one sequence. The same seed and logits give the
/// same tokens on every machine. Thread safety: one thread at a time.
class Sampler {
 public:
  explicit Sampler(const SamplingOptions& options);
  ~Sampler();
  Sampler(Sampler&&) noexcept;
  Sampler& operator=(Sampler&&) noexcept;

  /// Tells the sampler of a token that the penalties shall see.
  void accept(TokenId token);
  /// Chooses. `logits` ([vocabulary], float32) are changed. -infinity forbids a token; at least
  /// one must be finite.
  TokenId sample(std::span<float> logits);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

struct TokenLogprob {
  TokenId id;
  float logprob;  ///< natural logarithm, of the model's own distribution
};

/// The `count` most probable tokens, best first, ties to the lower id.
std::vector<TokenLogprob> top_logprobs(std::span<const float> logits, std::size_t count);
/// log softmax of one token.
float logprob_of(std::span<const float> logits, TokenId token);

}  // namespace lore::engine
