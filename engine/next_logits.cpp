#include "engine/next_logits.hpp"

#include <algorithm>

namespace lore::engine {

NextLogits::NextLogits(Sequences::Lease& sequence, BatchQueue::Member& member,
                       std::span<const TokenId> prompt, std::span<float> after_prompt,
                       std::size_t vocabulary, bool lookup)
    : sequence_(sequence),
      member_(member),
      vocabulary_(vocabulary),
      lookup_(lookup),
      context_(prompt.begin(), prompt.end()),
      rows_(after_prompt) {}

std::span<float> NextLogits::logits(std::size_t left) {
  if (rows_.empty()) compute(left);
  return rows_.subspan(row_ * vocabulary_, vocabulary_);
}

void NextLogits::accept(TokenId id) {
  context_.push_back(id);
  const bool guessed = row_ + 1 < computed_.size() && computed_[row_ + 1] == id;
  if (guessed) {
    // Its keys and values are in the cache already.
    sequence_.extend({&id, 1});
    ++row_;
    return;
  }
  if (!computed_.empty()) guesses_.learn(computed_.size() - 1, row_);
  rows_ = {};
}

void NextLogits::compute(std::size_t left) {
  computed_.assign(1, context_.back());
  if (lookup_ && left > 1 && member_.is_alone()) {
    const std::vector<TokenId> guess = guesses_.guess(context_, left - 1);
    computed_.insert(computed_.end(), guess.begin(), guess.end());
  }
  sequence_.prepare(computed_.size());
  rows_ = member_.compute(
      {TokenKind::generated, computed_, sequence_.size(), &sequence_.cache(), computed_.size()});
  row_ = 0;
  sequence_.extend({computed_.data(), 1});
}

}  // namespace lore::engine
