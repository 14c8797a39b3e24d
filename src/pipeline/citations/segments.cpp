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

/// How many words a part has; of unspaced scripts every character begins one, so two are taken as
/// one.
std::size_t count_words(Tokens tokens) {
  std::size_t halves = 0;
  for (const Token& token : tokens) {
    if (token.kind != TokenKind::content) continue;
    const bool letters = static_cast<unsigned char>(token.text.front()) < 0xE0;
    halves += letters ? std::size_t{2} : std::size_t{1};
  }
  return halves / 2;
}

/// A part of a sentence and the boundaries around it.
struct Part {
  Tokens tokens;
  bool at_comma = false;  // on one side at least
};

/// The parts of tokens without a semicolon.
std::vector<Part> cut(Tokens tokens) {
  std::vector<Part> parts;
  std::size_t begin = 0;
  bool comma_before = false;
  for (std::size_t i = 0; i <= tokens.size(); ++i) {
    if (i < tokens.size() && tokens[i].kind != TokenKind::boundary) continue;
    const bool comma = i < tokens.size() && tokens[i].text == ",";
    if (i > begin) parts.push_back({tokens.subspan(begin, i - begin), comma_before || comma});
    comma_before = comma || (i == begin && comma_before);  // ", and"
    begin = i + 1;
  }
  return parts;
}

/// Whether a part can stand alone: a figure and what it is of, a clause with its own verb, a long
/// part behind or before a comma, or one that runs parallel to another.
bool stands_alone(const std::vector<Part>& parts, std::size_t index) {
  constexpr std::size_t kLong = 3;  // words
  const Tokens part = parts[index].tokens;
  const std::size_t words = count_words(part);
  if (count_kind(part, TokenKind::figure) > 0 && (words > 0 || has_quantity(part))) return true;
  if (words < 2) return false;
  if (has_auxiliary(part) || (parts[index].at_comma && words >= kLong)) return true;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Tokens other = parts[i].tokens;
    if (i != index && count_words(other) >= 2 && shares_word(part, other)) return true;
  }
  return false;
}

/// The tokens from the first of `first` to the last of `last`; both lie in one sentence.
Tokens join(Tokens first, Tokens last) {
  return {first.data(), static_cast<std::size_t>(last.data() + last.size() - first.data())};
}

void add_clauses(Tokens tokens, std::vector<Tokens>& clauses) {
  const std::vector<Part> parts = cut(tokens);
  const std::size_t before = clauses.size();
  Tokens waiting;  // parts that join the next one
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Tokens part = waiting.empty() ? parts[i].tokens : join(waiting, parts[i].tokens);
    waiting = part;
    if (!stands_alone(parts, i)) continue;
    clauses.push_back(part);
    waiting = {};
  }
  if (waiting.empty()) return;
  if (clauses.size() == before) {
    clauses.push_back(waiting);
  } else {
    clauses.back() = join(clauses.back(), waiting);
  }
}

}  // namespace

std::vector<Tokens> split_clauses(Tokens sentence) {
  std::vector<Tokens> clauses;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= sentence.size(); ++i) {
    const bool ends = i == sentence.size() ||
                      (sentence[i].kind == TokenKind::boundary && sentence[i].text == ";");
    if (!ends) continue;
    add_clauses(sentence.subspan(begin, i - begin), clauses);
    begin = i + 1;
  }
  return clauses;
}

std::vector<Tokens> split_parts(Tokens sentence) {
  std::vector<Tokens> parts;
  for (const Part& part : cut(sentence)) parts.push_back(part.tokens);
  return parts;
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

bool same_item(const Token& claimed, const Token& found) {
  if (claimed.kind != found.kind) return false;
  return claimed.kind == TokenKind::figure ? same_figure(claimed.figure, found.figure)
                                           : matches_word(found, claimed.text);
}

}  // namespace lore::pipeline::citations
