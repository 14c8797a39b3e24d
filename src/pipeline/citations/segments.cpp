#include "pipeline/citations/segments.hpp"

#include <algorithm>

namespace lore::pipeline::citations {
namespace {

std::size_t count_kind(Tokens tokens, TokenKind kind) {
  return static_cast<std::size_t>(std::count_if(
      tokens.begin(), tokens.end(), [kind](const Token& token) { return token.kind == kind; }));
}

bool shares_word(Tokens first, Tokens second) {
  return std::any_of(first.begin(), first.end(), [second](const Token& token) {
    return token.kind == TokenKind::content && has_word(second, token.text);
  });
}

/// A number that says of what it is: 5 bar.
bool has_quantity(Tokens tokens) {
  return std::any_of(tokens.begin(), tokens.end(),
                     [](const Token& token) { return !token.figure.unit.empty(); });
}

bool has_auxiliary(Tokens tokens) {
  return std::any_of(tokens.begin(), tokens.end(), [](const Token& token) {
    return token.kind == TokenKind::function && is_auxiliary(token.text);
  });
}

/// Whether a part can stand alone: a figure and what it is of, or a clause with its own verb, or
/// one that runs parallel to another.
bool stands_alone(const std::vector<Tokens>& parts, std::size_t index) {
  const Tokens part = parts[index];
  const std::size_t words = count_kind(part, TokenKind::content);
  if (count_kind(part, TokenKind::figure) > 0 && (words > 0 || has_quantity(part))) return true;
  if (words < 2) return false;
  if (has_auxiliary(part)) return true;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i != index && count_kind(parts[i], TokenKind::content) >= 2 &&
        shares_word(part, parts[i])) {
      return true;
    }
  }
  return false;
}

/// The tokens from the first of `first` to the last of `last`; both lie in one sentence.
Tokens join(Tokens first, Tokens last) {
  return {first.data(), static_cast<std::size_t>(last.data() + last.size() - first.data())};
}

}  // namespace

std::vector<Tokens> split_clauses(Tokens sentence) {
  std::vector<Tokens> parts;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= sentence.size(); ++i) {
    if (i < sentence.size() && sentence[i].kind != TokenKind::boundary) continue;
    if (i > begin) parts.push_back(sentence.subspan(begin, i - begin));
    begin = i + 1;
  }
  std::vector<Tokens> clauses;
  Tokens waiting;  // parts that join the next one
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Tokens part = waiting.empty() ? parts[i] : join(waiting, parts[i]);
    if (stands_alone(parts, i)) {
      clauses.push_back(part);
      waiting = {};
    } else {
      waiting = part;
    }
  }
  if (waiting.empty()) return clauses;
  if (clauses.empty()) return {waiting};
  clauses.back() = join(clauses.back(), waiting);
  return clauses;
}

bool has_figure(Tokens tokens, const Figure& claimed) {
  return std::any_of(tokens.begin(), tokens.end(), [&claimed](const Token& token) {
    return token.kind == TokenKind::figure && same_figure(claimed, token.figure);
  });
}

bool has_word(Tokens tokens, std::string_view word) {
  return std::any_of(tokens.begin(), tokens.end(),
                     [word](const Token& token) { return matches_word(token, word); });
}

}  // namespace lore::pipeline::citations
