// The logits of a sequence being generated, one token after the other; where guesses of the next
// tokens turn out right, those of several come from one pass over the weights.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "engine/batch_queue.hpp"
#include "engine/prompt_lookup.hpp"
#include "engine/sequences.hpp"

namespace lore::engine {

/// Thread safety: one thread at a time.
class NextLogits {
 public:
  /// `after_prompt`: the logits after the prompt, [vocabulary], which `sequence` holds.
  NextLogits(Sequences::Lease& sequence, BatchQueue::Member& member,
             std::span<const TokenId> prompt, std::span<float> after_prompt, std::size_t vocabulary,
             bool lookup);

  /// The logits of the next token, [vocabulary]; the caller's to change until the next call.
  /// `left`: how many tokens may follow, this one included.
  std::span<float> logits(std::size_t left);
  /// The token that was chosen from them.
  void accept(TokenId id);

 private:
  void compute(std::size_t left);

  Sequences::Lease& sequence_;
  BatchQueue::Member& member_;
  std::size_t vocabulary_;
  bool lookup_;
  PromptLookup guesses_;
  std::vector<TokenId> context_;   // prompt and accepted tokens
  std::vector<TokenId> computed_;  // the last accepted token and guesses after it
  std::span<float> rows_;          // logits after each of computed_
  std::size_t row_ = 0;            // of the next token
};

}  // namespace lore::engine
