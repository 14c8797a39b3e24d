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
  if (by_figure && one_sentence && !has_rival_figure(clause, stretch.all)) return false;
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

/// The claim's subject is nowhere in the stretch: its first word, if a verb follows it. (Not in
/// German, where anything may stand first.)
bool lacks_subject(Tokens claim, const Stretch& stretch) {
  for (std::size_t i = 0; i + 1 < claim.size(); ++i) {
    const Token& token = claim[i];
    if (token.kind == TokenKind::function && is_article(token.text)) continue;
    if (token.kind != TokenKind::content || has_word(stretch.all, token.text)) return false;
    const Token& next = claim[i + 1];
    const bool verb = next.kind == TokenKind::content ||
                      (next.kind == TokenKind::function && is_auxiliary(next.text));
    return verb && !is_german(claim);
  }
  return false;
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

/// The content words that touch the word at `index` on one side, with nothing but articles between.
std::vector<const Token*> run_beside(Tokens tokens, std::size_t index, bool before) {
  std::vector<const Token*> run;
  for (std::size_t i = before ? index : index + 1; before ? i > 0 : i < tokens.size();
       before ? --i : ++i) {
    const Token& token = tokens[before ? i - 1 : i];
    if (token.kind == TokenKind::content) {
      run.push_back(&token);
    } else if (token.kind != TokenKind::function || !is_article(token.text)) {
      break;
    }
  }
  return run;
}

bool run_has(const std::vector<const Token*>& run, std::string_view word) {
  return std::any_of(run.begin(), run.end(),
                     [word](const Token* token) { return matches_word(*token, word); });
}

/// Whether a word of `own` has gone from one side to the other.
bool moves(const std::vector<const Token*>& own, const std::vector<const Token*>& same_side,
           const std::vector<const Token*>& other_side) {
  return std::any_of(own.begin(), own.end(), [&](const Token* token) {
    return run_has(other_side, token->text) && !run_has(same_side, token->text);
  });
}

/// "The pump drives the motor" for "The motor drives the pump": the words on both sides of a third
/// have changed places.
bool swaps_sides(Tokens claim, Tokens sentence) {
  for (std::size_t i = 0; i < claim.size(); ++i) {
    if (claim[i].kind != TokenKind::content) continue;
    for (std::size_t k = 0; k < sentence.size(); ++k) {
      if (!matches_word(sentence[k], claim[i].text)) continue;
      const auto before = run_beside(sentence, k, true);
      const auto after = run_beside(sentence, k, false);
      if (moves(run_beside(claim, i, true), before, after) &&
          moves(run_beside(claim, i, false), after, before)) {
        return true;
      }
    }
  }
  return false;
}

/// The content word that follows the first occurrence of `word`; null for none.
const Token* follower(Tokens tokens, std::string_view word) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!is_word(tokens[i]) || tokens[i].text != word) continue;
    for (std::size_t k = i + 1; k < tokens.size(); ++k) {
      if (tokens[k].kind == TokenKind::content) return &tokens[k];
    }
  }
  return nullptr;
}

/// "Open the valve before you close the housing" for "Before you open the housing, close the
/// valve": two contraries have changed their objects.
bool swaps_contraries(Tokens claim, Tokens stretch) {
  for (const Token& first : claim) {
    for (const Token& second : claim) {
      if (!is_word(first) || !is_word(second) || !are_contrary(first.text, second.text)) continue;
      const Token* own = follower(claim, first.text);
      const Token* same = follower(stretch, first.text);
      const Token* other = follower(stretch, second.text);
      if (own == nullptr || same == nullptr || other == nullptr) continue;
      if (matches_word(*other, own->text) && !matches_word(*same, own->text)) return true;
    }
  }
  return false;
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
      if (token.kind == TokenKind::figure) {
        return has_figure(other_side, token.figure) && !has_figure(same_side, token.figure);
      }
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
  if (has_contrary(claim, stretch) || replaces_name(claim, stretch) ||
      lacks_subject(claim, stretch) || replaces_noun(claim, stretch) ||
      swaps_contraries(claim, stretch.all) || mixes_clauses(clauses, stretch)) {
    return true;
  }
  return std::any_of(stretch.sentences.begin(), stretch.sentences.end(), [claim](Tokens sentence) {
    return swaps_sides(claim, sentence) || swaps_comparison(claim, sentence);
  });
}

}  // namespace lore::pipeline::citations
