#include "engine/prompt_lookup.hpp"

#include <algorithm>

namespace lore::engine {
namespace {

// Up to 8 tokens a pass cost little more than one: the weights are read once for all of them.
constexpr std::size_t kLongest = 7;
constexpr std::size_t kLongestPause = 16;
// Tokens that have to be equal before what follows them is a guess; more are better.
constexpr std::size_t kMostEqual = 4;
constexpr std::size_t kLeastEqual = 2;

/// Where the tokens after the last earlier occurrence of the context's last `equal` ones begin; the
/// context's size where there is none.
std::size_t place_after(std::span<const TokenId> context, std::size_t equal) {
  if (context.size() <= equal) return context.size();
  const auto tail = context.last(equal);
  for (std::size_t end = context.size() - 1; end >= equal; --end) {
    if (std::equal(tail.begin(), tail.end(),
                   context.begin() + static_cast<std::ptrdiff_t>(end - equal))) {
      return end;
    }
  }
  return context.size();
}

}  // namespace

std::vector<TokenId> PromptLookup::guess(std::span<const TokenId> context, std::size_t most) {
  if (pause_ > 0) {
    --pause_;
    return {};
  }
  for (std::size_t equal = kMostEqual; equal >= kLeastEqual; --equal) {
    const std::size_t begin = place_after(context, equal);
    if (begin == context.size()) continue;
    const std::size_t count = std::min({most, length_, context.size() - begin});
    const auto following = context.subspan(begin, count);
    return {following.begin(), following.end()};
  }
  return {};
}

void PromptLookup::learn(std::size_t guessed, std::size_t right) {
  if (guessed == 0) return;
  if (right == 0) {
    length_ = kShortest;
    pause_ = next_pause_;
    next_pause_ = std::min(2 * next_pause_, kLongestPause);
    return;
  }
  next_pause_ = 1;
  if (right == guessed) length_ = kLongest;
}

}  // namespace lore::engine
