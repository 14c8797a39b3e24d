#include "pipeline/citations/contradictions.hpp"

#include <algorithm>
#include <string>

#include "pipeline/citations/relations.hpp"
#include "pipeline/citations/substitutions.hpp"

namespace lore::pipeline::citations {
namespace {

bool is_word(const Token& token) {
  return token.kind == TokenKind::content || token.kind == TokenKind::function;
}

// Negations

/// What a negation stands at: the content word behind it, and the two before it (German negates a
/// verb at the clause's end).
struct Scope {
  std::vector<std::string> before;
  std::string after;
};

Scope scope_of(Tokens tokens, std::size_t index) {
  Scope scope;
  for (std::size_t i = index + 1; i < tokens.size(); ++i) {
    if (tokens[i].kind == TokenKind::boundary) break;
    if (tokens[i].kind != TokenKind::content) continue;
    scope.after = tokens[i].text;
    break;
  }
  for (std::size_t i = index; i-- > 0;) {
    if (tokens[i].kind == TokenKind::boundary) break;
    if (tokens[i].kind != TokenKind::content) continue;
    scope.before.push_back(tokens[i].text);
    if (scope.before.size() == 2) break;
  }
  return scope;
}

std::vector<Scope> scopes_of(Tokens tokens) {
  std::vector<Scope> scopes;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].kind == TokenKind::negation) scopes.push_back(scope_of(tokens, i));
  }
  return scopes;
}

bool same_scope(const Scope& first, const Scope& second) {
  if (!first.after.empty() && !second.after.empty() && same_word(first.after, second.after)) {
    return true;
  }
  return std::any_of(first.before.begin(), first.before.end(), [&second](const auto& word) {
    return std::any_of(second.before.begin(), second.before.end(),
                       [&word](const auto& other) { return same_word(word, other); });
  });
}

std::size_t count_content(Tokens tokens) {
  return static_cast<std::size_t>(
      std::count_if(tokens.begin(), tokens.end(),
                    [](const Token& token) { return token.kind == TokenKind::content; }));
}

/// How many content words of `clause` the others have.
std::size_t common_words(Tokens clause, Tokens others) {
  return static_cast<std::size_t>(
      std::count_if(clause.begin(), clause.end(), [others](const Token& token) {
        return token.kind == TokenKind::content &&
               std::any_of(others.begin(), others.end(), [&token](const Token& other) {
                 return other.kind == TokenKind::content &&
                        (matches_word(token, other.text) || matches_word(other, token.text));
               });
      }));
}

/// Whether the claim speaks of what this clause of the page speaks of.
bool concerns(Tokens clause, Tokens claim) {
  const std::size_t least = std::min(count_content(clause), count_content(claim));
  return 2 * common_words(clause, claim) >= least;
}

// Clauses

/// Content words of `tokens` that `others` lacks.
bool has_word_beyond(Tokens tokens, Tokens others) {
  return std::any_of(tokens.begin(), tokens.end(), [others](const Token& token) {
    return token.kind == TokenKind::content &&
           std::none_of(others.begin(), others.end(), [&token](const Token& other) {
             return other.kind == TokenKind::content && matches_word(token, other.text);
           });
  });
}

/// A figure of the clause is missing in the page's clause, which has another of its kind.
bool replaces_figure(Tokens clause, Tokens found) {
  for (const Token& own : clause) {
    if (own.kind != TokenKind::figure || has_figure(found, own.figure)) continue;
    for (const Token& other : found) {
      if (other.kind != TokenKind::figure || !same_kind(own.figure, other.figure)) continue;
      const bool claimed = std::any_of(clause.begin(), clause.end(), [&other](const Token& token) {
        return token.kind == TokenKind::figure && same_figure(token.figure, other.figure);
      });
      if (!claimed) return true;
    }
  }
  return false;
}

/// A heading or a table's first row: a few words without a verb, which what follows belongs to.
bool is_heading(Tokens sentence) {
  constexpr std::size_t kLongest = 8;
  return sentence.size() <= kLongest &&
         std::none_of(sentence.begin(), sentence.end(), [](const Token& token) {
           return token.kind == TokenKind::figure || token.kind == TokenKind::function ||
                  token.kind == TokenKind::negation;
         });
}

bool lies_in_second(const Stretch& stretch, Tokens found) {
  return stretch.sentences.size() > 1 && found.data() >= stretch.sentences[1].data();
}

/// Whether the clause stands in a second sentence that takes its subject from the one before it: by
/// a pronoun at its start, or because that one is its heading.
bool refers_back(const Stretch& stretch, Tokens found) {
  if (!lies_in_second(stretch, found)) return false;
  const Tokens second = stretch.sentences[1];
  const auto first_word = std::find_if(second.begin(), second.end(), is_word);
  const bool pronoun = first_word != second.end() && is_pronoun(first_word->text);
  return pronoun || is_heading(stretch.sentences[0]);
}

bool has_semicolon(Tokens tokens) {
  return std::any_of(tokens.begin(), tokens.end(), [](const Token& token) {
    return token.kind == TokenKind::boundary && token.text == ";";
  });
}

/// Whether the stretch has a figure that one of the clause's could be mixed up with.
bool has_rival_figure(Tokens clause, Tokens tokens) {
  return std::any_of(tokens.begin(), tokens.end(), [clause](const Token& token) {
    if (token.kind != TokenKind::figure) return false;
    bool rival = false;
    for (const Token& own : clause) {
      if (own.kind != TokenKind::figure) continue;
      if (same_figure(own.figure, token.figure)) return false;
      rival = rival || same_kind(own.figure, token.figure);
    }
    return rival;
  });
}

/// Whether no clause of the stretch alone has all figures of the claim's.
bool joins_clauses(Tokens clause, const Stretch& stretch) {
  return std::none_of(stretch.clauses.begin(), stretch.clauses.end(), [clause](Tokens found) {
    return std::all_of(clause.begin(), clause.end(), [found](const Token& token) {
      return token.kind != TokenKind::figure || has_figure(found, token.figure);
    });
  });
}

/// Whether the claim's clause has a word that `found` lacks and `source` has.
bool borrows_from(Tokens clause, Tokens found, Tokens source) {
  return std::any_of(clause.begin(), clause.end(), [&](const Token& token) {
    return token.kind == TokenKind::content && !has_word(found, token.text) &&
           has_word(source, token.text);
  });
}

/// Whether the page's clause speaks of something else than the claim's: what it lacks stands
/// elsewhere in the stretch, and it has something of its own instead.
bool speaks_of_other(Tokens clause, Tokens found, bool by_figure, const Stretch& stretch) {
  if (replaces_figure(clause, found)) return true;
  if (refers_back(stretch, found)) return false;
  if (stretch.sentences.size() > 1) {
    // A second clause takes its subject from the first ("… and needs 9.5 litres"), so what comes
    // from the other sentence is weighed against all that stands before in its own.
    const bool second = lies_in_second(stretch, found);
    const Token* begin = stretch.sentences[second ? 1 : 0].data();
    const Tokens own(begin, static_cast<std::size_t>(found.data() + found.size() - begin));
    const Tokens other = stretch.sentences[second ? 0 : 1];
    if (borrows_from(clause, own, other) && has_word_beyond(own, clause)) return true;
  }
  const bool one_sentence = stretch.sentences.size() == 1 && !has_semicolon(stretch.all);
  if (by_figure && one_sentence && joins_clauses(clause, stretch) &&
      !has_rival_figure(clause, stretch.all)) {
    return false;
  }
  return borrows_from(clause, found, stretch.all) && has_word_beyond(found, clause);
}

/// Whether some clause of the page that has `figure` (any, where null: those with most of the
/// words) says what the claim's clause says.
bool is_bound(Tokens clause, const Figure* figure, const Stretch& stretch) {
  std::size_t most = 1;
  if (figure == nullptr) {
    for (const Tokens found : stretch.clauses) most = std::max(most, common_words(clause, found));
  }
  return std::any_of(stretch.clauses.begin(), stretch.clauses.end(), [&](Tokens found) {
    const bool candidate =
        figure != nullptr ? has_figure(found, *figure) : common_words(clause, found) >= most;
    return candidate && !speaks_of_other(clause, found, figure != nullptr, stretch);
  });
}

bool mixes_clauses(std::span<const Tokens> clauses, const Stretch& stretch) {
  if (stretch.clauses.size() < 2) return false;
  return std::any_of(clauses.begin(), clauses.end(), [&stretch](Tokens clause) {
    bool any_figure = false;
    for (const Token& token : clause) {
      if (token.kind != TokenKind::figure) continue;
      any_figure = true;
      if (!is_bound(clause, &token.figure, stretch)) return true;
    }
    const bool any_word = common_words(clause, stretch.all) > 0;
    return !any_figure && any_word && !is_bound(clause, nullptr, stretch);
  });
}

}  // namespace

bool same_negations(Tokens claim, const Stretch& stretch) {
  const std::vector<Scope> own = scopes_of(claim);
  std::vector<Scope> found;
  for (const Tokens sentence : stretch.sentences) {
    for (const Tokens part : split_parts(sentence)) {
      if (!concerns(part, claim)) continue;
      const std::vector<Scope> scopes = scopes_of(part);
      found.insert(found.end(), scopes.begin(), scopes.end());
    }
  }
  if (own.size() != found.size()) return false;
  return std::all_of(own.begin(), own.end(), [&found](const Scope& scope) {
    return std::any_of(found.begin(), found.end(),
                       [&scope](const Scope& other) { return same_scope(scope, other); });
  });
}

bool contradicts(Tokens claim, std::span<const Tokens> clauses, const Stretch& stretch) {
  return substitutes(claim, stretch) || reorders(claim, stretch) ||
         exchanges_relations(claim, stretch) || opposes_bounds(claim, stretch) ||
         reverses_voice(claim, stretch) || changes_modality(claim, stretch) ||
         mixes_clauses(clauses, stretch);
}

}  // namespace lore::pipeline::citations
