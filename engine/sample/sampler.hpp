// Choosing the next token from the model's logits.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/tensor/token_id.hpp"

namespace lore::engine {

/// Defaults are greedy. Applied in this order, each to what the one before left:
///
/// 1. penalties on the tokens among the last `penalty_window`: the repeat penalty divides a logit
///    above 0 and multiplies one below (Keskar et al. 2019), then frequency_penalty times the
///    token's count and presence_penalty are subtracted (OpenAI's definition);
/// 2. where temperature is 0: the largest logit, a tie to the lower id, and nothing of the rest;
/// 3. top_k: the k largest logits stay (ties: lower ids);
/// 4. top_p: the fewest of the most probable whose probabilities reach p (Holtzman et al. 2020);
/// 5. min_p: those with at least min_p times the probability of the best (Nguyen et al. 2024);
/// 6. temperature divides the logits, and one is drawn.
///
/// At least one token always stays. Probabilities in 4 and 5 are at temperature 1.
struct SamplingOptions {
  float temperature = 0;             ///< 0 (greedy) to 100
  std::int32_t top_k = 40;           ///< 0 keeps all
  float top_p = 0.95F;               ///< above 0 to 1; 1 keeps all
  float min_p = 0.05F;               ///< 0 to 1; 0 keeps all
  float repeat_penalty = 1;          ///< 0.01 to 100; 1 is off
  float frequency_penalty = 0;       ///< -2 to 2
  float presence_penalty = 0;        ///< -2 to 2
  std::int32_t penalty_window = 64;  ///< how many of the last tokens the penalties look at; 0: none
  std::uint64_t seed = 0;
};

/// Checks the ranges. Throws Error{invalid_argument} that names the option.
void validate(const SamplingOptions& options);

/// Keeps the random state and the recent tokens of one sequence. The same seed and logits give the
/// same tokens on every machine. Thread safety: one thread at a time.
class Sampler {
 public:
  /// Throws as validate.
  explicit Sampler(const SamplingOptions& options);
  ~Sampler();
  Sampler(Sampler&&) noexcept;
  Sampler& operator=(Sampler&&) noexcept;

  /// Tells the sampler of a token that the penalties shall see.
  void accept(TokenId token);
  /// Chooses; does not accept. `logits` ([vocabulary], float32) are changed. -infinity forbids a
  /// token. Throws Error{invalid_argument} where it forbids all, Error{corrupt} for a logit that is
  /// NaN or +infinity: only a damaged model computes one.
  TokenId sample(std::span<float> logits);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

struct TokenLogprob {
  TokenId id;
  float logprob;  ///< natural logarithm, of the model's own distribution
};

/// The `count` most probable tokens, best first, ties to the lower id; all where there are fewer.
std::vector<TokenLogprob> top_logprobs(std::span<const float> logits, std::size_t count);
/// log softmax of one token. Throws Error{invalid_argument} for an id outside the vocabulary.
float logprob_of(std::span<const float> logits, TokenId token);

}  // namespace lore::engine
