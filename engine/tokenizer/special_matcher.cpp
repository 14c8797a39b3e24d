#include "engine/tokenizer/special_matcher.hpp"

#include <algorithm>
#include <queue>

namespace lore::engine {
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
  for (std::size_t parsed = 0; parsed < 2; ++parsed) {
    bool& starts = starts_[parsed][static_cast<std::uint8_t>(text[0])];
    if (starts || (special && parsed == 0)) continue;
    starts = true;
    first_bytes_[parsed].push_back(text[0]);
  }
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

std::size_t SpecialMatcher::next_start(std::string_view text, std::size_t at,
                                       bool parse_special) const noexcept {
  const std::string& bytes = first_bytes_[parse_special ? 1 : 0];
  if (bytes.empty()) return text.size();
  if (bytes.size() == 1) return std::min(text.find(bytes[0], at), text.size());
  const std::array<bool, 256>& starts = starts_[parse_special ? 1 : 0];
  while (at < text.size() && !starts[static_cast<std::uint8_t>(text[at])]) ++at;
  return at;
}

/// The longest token at each place that has one, in order.
std::vector<SpecialMatcher::Candidate> SpecialMatcher::candidates(std::string_view text,
                                                                  bool parse_special) const {
  std::vector<Candidate> result;
  for (std::size_t at = next_start(text, 0, parse_special); at < text.size();
       at = next_start(text, at + 1, parse_special)) {
    const Match match = longest_match(text.substr(at), parse_special);
    if (match.length > 0) result.push_back({at, match.length, match.token});
  }
  return result;
}

/// Chooses among candidates that overlap.
void SpecialMatcher::choose(std::string_view text, bool parse_special,
                            std::span<const Candidate> cluster,
                            std::vector<Fragment>& tokens) const {
  const std::size_t start = cluster.front().begin;
  const auto first = static_cast<std::ptrdiff_t>(tokens.size());
  std::priority_queue<Candidate> queue(cluster.begin(), cluster.end());
  std::vector<bool> taken;  // from `start` on
  while (!queue.empty()) {
    const Candidate candidate = queue.top();
    queue.pop();
    const std::size_t begin = candidate.begin - start;
    const std::size_t end = candidate.end() - start;
    if (taken.size() < end) taken.resize(end);
    std::size_t free_end = begin;
    while (free_end < end && !taken[free_end]) ++free_end;
    if (free_end == end) {
      std::fill(taken.begin() + static_cast<std::ptrdiff_t>(begin),
                taken.begin() + static_cast<std::ptrdiff_t>(end), true);
      tokens.push_back({candidate.begin, candidate.end(), candidate.token});
      continue;
    }
    // Something longer took a part of it: what may still stand here ends before that.
    const Match shorter =
        longest_match(text.substr(candidate.begin, free_end - begin), parse_special);
    if (shorter.length > 0) queue.push({candidate.begin, shorter.length, shorter.token});
  }
  std::sort(tokens.begin() + first, tokens.end(),
            [](const Fragment& a, const Fragment& b) { return a.begin < b.begin; });
}

std::vector<Fragment> SpecialMatcher::split(std::string_view text, bool parse_special) const {
  if (text.empty()) return {};
  const std::vector<Candidate> found = candidates(text, parse_special);
  std::vector<Fragment> tokens;
  for (std::size_t i = 0; i < found.size();) {
    std::size_t next = i + 1;  // candidates from there on overlap with none of these
    std::size_t end = found[i].end();
    for (; next < found.size() && found[next].begin < end; ++next) {
      end = std::max(end, found[next].end());
    }
    if (next == i + 1) {
      tokens.push_back({found[i].begin, found[i].end(), found[i].token});
    } else {
      choose(text, parse_special, std::span(found).subspan(i, next - i), tokens);
    }
    i = next;
  }

  std::vector<Fragment> fragments;
  fragments.reserve(2 * tokens.size() + 1);
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
