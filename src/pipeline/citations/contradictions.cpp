#include "pipeline/citations/contradictions.hpp"

#include <algorithm>
#include <string>

namespace lore::pipeline::citations {
namespace {

bool is_word(const Token& token) {
  return token.kind == TokenKind::content || token.kind == TokenKind::function;
}

/// Whether the tokens have this word, function words included.
bool has_any(Tokens tokens, std::string_view word) {
  return std::any_of(tokens.begin(), tokens.end(),
                     [word](const Token& token) { return is_word(token) && token.text == word; });
}

// Negations

/// The content words on both sides of a negation; empty where there is none in its sentence.
struct Scope {
  std::string before;
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
    scope.before = tokens[i].text;
    break;
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
  return !first.before.empty() && !second.before.empty() && same_word(first.before, second.before);
}

bool touches(Tokens part, Tokens claim) {
  return std::any_of(part.begin(), part.end(), [claim](const Token& token) {
    if (token.kind == TokenKind::figure) {
      return std::any_of(claim.begin(), claim.end(), [&token](const Token& own) {
        return own.kind == TokenKind::figure && same_figure(own.figure, token.figure);
      });
    }
    return token.kind == TokenKind::content && has_word(claim, token.text);
  });
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

/// Whether a sentence that begins with a pronoun speaks of the one before it, in which all that
/// `clause` has and `found` lacks stands.
bool refers_back(const Stretch& stretch, Tokens found) {
  if (stretch.sentences.size() < 2) return false;
  const Tokens second = stretch.sentences[1];
  const auto first_word = std::find_if(second.begin(), second.end(), is_word);
  return first_word != second.end() && is_pronoun(first_word->text) &&
         found.data() >= second.data();
}

/// Whether the page's clause speaks of something else than the claim's: what it lacks stands
/// elsewhere in the stretch, and it has something of its own instead.
bool speaks_of_other(Tokens clause, Tokens found, const Stretch& stretch) {
  if (replaces_figure(clause, found)) return true;
  if (refers_back(stretch, found)) return false;
  const bool borrows = std::any_of(clause.begin(), clause.end(), [&](const Token& token) {
    return token.kind == TokenKind::content && !has_word(found, token.text) &&
           has_word(stretch.all, token.text);
  });
  return borrows && has_word_beyond(found, clause);
}

std::size_t common_words(Tokens clause, Tokens found) {
  return static_cast<std::size_t>(
      std::count_if(clause.begin(), clause.end(), [found](const Token& token) {
        return token.kind == TokenKind::content && has_word(found, token.text);
      }));
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
    return candidate && !speaks_of_other(clause, found, stretch);
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

// Words in place of others

bool has_contrary(Tokens claim, const Stretch& stretch) {
  for (const Token& own : claim) {
    if (!is_word(own) || has_any(stretch.all, own.text)) continue;
    for (const Token& other : stretch.all) {
      if (is_word(other) && are_contrary(own.text, other.text) && !has_any(claim, other.text)) {
        return true;
      }
    }
  }
  return false;
}

bool is_german(Tokens tokens) {
  int balance = 0;
  for (const Token& token : tokens) {
    if (token.kind != TokenKind::function) continue;
    const Language language = language_of(token.text);
    balance += language == Language::german ? 1 : language == Language::english ? -1 : 0;
  }
  return balance > 0;
}

/// Capitalized words, but the first of a sentence.
std::vector<const Token*> names_of(Tokens sentence) {
  std::vector<const Token*> names;
  bool first = true;
  for (const Token& token : sentence) {
    if (token.kind == TokenKind::boundary) continue;
    if (token.kind == TokenKind::content && token.capital && !first) names.push_back(&token);
    first = false;
  }
  return names;
}

/// Another name stands where the claim's should. Not in German, where every noun is capitalized.
bool replaces_name(Tokens claim, const Stretch& stretch) {
  if (is_german(claim) || is_german(stretch.all)) return false;
  const std::vector<const Token*> own_names = names_of(claim);
  const bool lacks = std::any_of(own_names.begin(), own_names.end(), [&](const Token* name) {
    return !has_word(stretch.all, name->text);
  });
  if (!lacks) return false;
  return std::any_of(stretch.sentences.begin(), stretch.sentences.end(), [&](Tokens sentence) {
    const std::vector<const Token*> names = names_of(sentence);
    return std::any_of(names.begin(), names.end(),
                       [&](const Token* name) { return !has_word(claim, name->text); });
  });
}

/// The content word behind `index`, if only function words (at least one) lie between; they are
/// appended to `between`. Null for none.
const Token* noun_behind(Tokens tokens, std::size_t index, std::string& between) {
  for (std::size_t i = index; i < tokens.size(); ++i) {
    if (tokens[i].kind == TokenKind::content) return between.empty() ? nullptr : &tokens[i];
    if (tokens[i].kind != TokenKind::function) return nullptr;
    between += tokens[i].text + ' ';
  }
  return nullptr;
}

/// "of the motor" where the page has "of the pump", behind the same word or at the start.
bool replaces_noun(Tokens claim, const Stretch& stretch) {
  const auto replaced_behind = [&](std::size_t own_index, Tokens sentence, std::size_t index) {
    std::string own_between;
    std::string between;
    const Token* own = noun_behind(claim, own_index, own_between);
    const Token* other = noun_behind(sentence, index, between);
    return own != nullptr && other != nullptr && own_between == between &&
           !has_word(stretch.all, own->text) && !has_word(claim, other->text);
  };
  for (const Tokens sentence : stretch.sentences) {
    if (replaced_behind(0, sentence, 0)) return true;
    for (std::size_t i = 0; i < claim.size(); ++i) {
      if (claim[i].kind != TokenKind::content) continue;
      for (std::size_t k = 0; k < sentence.size(); ++k) {
        if (matches_word(sentence[k], claim[i].text) && replaced_behind(i + 1, sentence, k + 1)) {
          return true;
        }
      }
    }
  }
  return false;
}

// Order

const Token* first_content(Tokens tokens) {
  const auto found = std::find_if(tokens.begin(), tokens.end(), [](const Token& token) {
    return token.kind == TokenKind::content;
  });
  return found == tokens.end() ? nullptr : &*found;
}

const Token* last_content(Tokens tokens) {
  const auto found = std::find_if(tokens.rbegin(), tokens.rend(), [](const Token& token) {
    return token.kind == TokenKind::content;
  });
  return found == tokens.rend() ? nullptr : &*found;
}

bool is_passive(Tokens tokens) {
  return std::any_of(tokens.begin(), tokens.end(), [](const Token& token) {
    return token.kind == TokenKind::function && is_passive_marker(token.text);
  });
}

/// "The pump drives the motor" for "The motor drives the pump".
bool swaps_ends(Tokens claim, Tokens sentence) {
  const Token* own_first = first_content(claim);
  const Token* own_last = last_content(claim);
  const Token* first = first_content(sentence);
  const Token* last = last_content(sentence);
  if (own_first == nullptr || first == nullptr || own_first == own_last) return false;
  return matches_word(*last, own_first->text) && matches_word(*first, own_last->text) &&
         is_passive(claim) == is_passive(sentence);
}

/// "heavier than": what stands before it and behind it has changed places.
bool swaps_comparison(Tokens claim, Tokens sentence) {
  const auto is_than = [](const Token& token) {
    return token.kind == TokenKind::function && is_comparison(token.text);
  };
  const auto own = std::find_if(claim.begin(), claim.end(), is_than);
  const auto other = std::find_if(sentence.begin(), sentence.end(), is_than);
  if (own == claim.end() || other == sentence.end()) return false;
  const Tokens own_before(claim.begin(), own);
  const Tokens own_after(own, claim.end());
  const Tokens before(sentence.begin(), other);
  const Tokens after(other, sentence.end());
  const auto crosses = [](Tokens part, Tokens same_side, Tokens other_side) {
    return std::any_of(part.begin(), part.end(), [&](const Token& token) {
      return token.kind == TokenKind::content && has_word(other_side, token.text) &&
             !has_word(same_side, token.text);
    });
  };
  return crosses(own_before, before, after) && crosses(own_after, after, before);
}

}  // namespace

bool same_negations(Tokens claim, const Stretch& stretch) {
  const std::vector<Scope> own = scopes_of(claim);
  std::vector<Scope> found;
  for (const Tokens clause : stretch.clauses) {
    if (!touches(clause, claim)) continue;
    const std::vector<Scope> scopes = scopes_of(clause);
    found.insert(found.end(), scopes.begin(), scopes.end());
  }
  if (own.size() != found.size()) return false;
  return std::all_of(own.begin(), own.end(), [&found](const Scope& scope) {
    return std::any_of(found.begin(), found.end(),
                       [&scope](const Scope& other) { return same_scope(scope, other); });
  });
}

bool contradicts(Tokens claim, std::span<const Tokens> clauses, const Stretch& stretch) {
  if (has_contrary(claim, stretch) || replaces_name(claim, stretch) ||
      replaces_noun(claim, stretch) || mixes_clauses(clauses, stretch)) {
    return true;
  }
  return std::any_of(stretch.sentences.begin(), stretch.sentences.end(), [claim](Tokens sentence) {
    return swaps_ends(claim, sentence) || swaps_comparison(claim, sentence);
  });
}

}  // namespace lore::pipeline::citations
