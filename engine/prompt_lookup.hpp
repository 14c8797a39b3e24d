// Guessing the next tokens from what stands in the context already (prompt lookup decoding, Saxena
// 2023): answers quote what they were given, so what followed the last few tokens before may follow
// them again. Guesses are verified by the model, so they change the speed and nothing else.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "engine/tensor/token_id.hpp"

namespace lore::engine {

/// Thread safety: one thread at a time.
class PromptLookup {
 public:
  /// The tokens that followed the last occurrence of the context's last tokens: not more than
  /// `most`, none where guesses have not been right lately.
  std::vector<TokenId> guess(std::span<const TokenId> context, std::size_t most);
  /// How many of the guessed tokens were right.
  void learn(std::size_t guessed, std::size_t right);

 private:
  std::size_t length_ = kShortest;  // of the next guess
  std::size_t pause_ = 0;           // calls to let pass after wrong guesses
  std::size_t next_pause_ = 1;

  static constexpr std::size_t kShortest = 3;
};

}  // namespace lore::engine
