#include "engine/tokenizer/special_matcher.hpp"

#include <algorithm>
#include <queue>

namespace lore::engine {
namespace {

constexpr std::uint8_t kStartsUserDefined = 1;
constexpr std::uint8_t kStartsSpecial = 2;

/// A token that could be taken at a place. Longer ones come first, then lower ids, then earlier
/// places.
struct Candidate {
  std::size_t begin;
  std::uint32_t length;
  TokenId token;

  bool operator<(const Candidate& other) const noexcept {  // the queue's top is the greatest
    if (length != other.length) return length < other.length;
    if (token != other.token) return token > other.token;
    return begin > other.begin;
  }
};

}  // namespace

SpecialMatcher::SpecialMatcher(const Vocabulary& vocabulary) : nodes_(1) {
  for (std::size_t i = 0; i < vocabulary.size(); ++i) {
    const auto id = static_cast<TokenId>(i);
    const bool special = vocabulary.is_special(id);
    if (special || vocabulary.kind(id) == TokenKind::user_defined) {
      add(vocabulary.text(id), id, special);
    }
  }
}

std::uint32_t SpecialMatcher::child_of(std::uint32_t node, std::uint8_t byte) const noexcept {
  std::uint32_t child = nodes_[node].child;
  while (child != 0 && nodes_[child].byte != byte) child = nodes_[child].sibling;
  return child;
}

void SpecialMatcher::add(std::string_view text, TokenId token, bool special) {
  if (text.empty()) return;
  std::uint32_t node = 0;
  for (const char c : text) {
    const auto byte = static_cast<std::uint8_t>(c);
    std::uint32_t child = child_of(node, byte);
    if (child == 0) {
      child = static_cast<std::uint32_t>(nodes_.size());
      nodes_.push_back({byte, false, Fragment::kText, 0, nodes_[node].child});
      nodes_[node].child = child;
    }
    node = child;
  }
  if (nodes_[node].token != Fragment::kText) return;  // the same spelling twice: the first counts
  nodes_[node].token = token;
  nodes_[node].special = special;
  const std::uint8_t starts = special ? kStartsSpecial : kStartsUserDefined;
  first_bytes_[static_cast<std::uint8_t>(text[0])] |= starts;
  all_first_bytes_ |= starts;
}

SpecialMatcher::Match SpecialMatcher::longest_match(std::string_view text,
                                                    bool parse_special) const noexcept {
  Match match;
  std::uint32_t node = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    node = child_of(node, static_cast<std::uint8_t>(text[i]));
    if (node == 0) break;
    const Node& found = nodes_[node];
    if (found.token != Fragment::kText && (parse_special || !found.special)) {
      match = {static_cast<std::uint32_t>(i + 1), found.token};
    }
  }
  return match;
}

std::vector<Fragment> SpecialMatcher::split(std::string_view text, bool parse_special) const {
  if (text.empty()) return {};
  const int wanted = parse_special ? kStartsUserDefined | kStartsSpecial : kStartsUserDefined;
  if ((all_first_bytes_ & wanted) == 0) return {{0, text.size(), Fragment::kText}};
  std::priority_queue<Candidate> queue;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ((first_bytes_[static_cast<std::uint8_t>(text[i])] & wanted) == 0) continue;
    const Match match = longest_match(text.substr(i), parse_special);
    if (match.length > 0) queue.push({i, match.length, match.token});
  }
  if (queue.empty()) return {{0, text.size(), Fragment::kText}};

  std::vector<bool> taken(text.size());
  std::vector<Fragment> tokens;
  while (!queue.empty()) {
    const Candidate candidate = queue.top();
    queue.pop();
    const std::size_t end = candidate.begin + candidate.length;
    std::size_t free_end = candidate.begin;
    while (free_end < end && !taken[free_end]) ++free_end;
    if (free_end == end) {
      std::fill(taken.begin() + static_cast<std::ptrdiff_t>(candidate.begin),
                taken.begin() + static_cast<std::ptrdiff_t>(end), true);
      tokens.push_back({candidate.begin, end, candidate.token});
      continue;
    }
    // Something longer took a part of it: what may still stand here ends before that.
    const Match shorter =
        longest_match(text.substr(candidate.begin, free_end - candidate.begin), parse_special);
    if (shorter.length > 0) queue.push({candidate.begin, shorter.length, shorter.token});
  }
  std::sort(tokens.begin(), tokens.end(),
            [](const Fragment& a, const Fragment& b) { return a.begin < b.begin; });

  std::vector<Fragment> fragments;
  std::size_t at = 0;
  for (const Fragment& token : tokens) {
    if (token.begin > at) fragments.push_back({at, token.begin, Fragment::kText});
    fragments.push_back(token);
    at = token.end;
  }
  if (at < text.size()) fragments.push_back({at, text.size(), Fragment::kText});
  return fragments;
}

}  // namespace lore::engine
