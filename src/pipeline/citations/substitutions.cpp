#include "pipeline/citations/substitutions.hpp"

#include <algorithm>
#include <string>
#include <vector>

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

bool is_german(Tokens tokens) { return language_of(tokens) == Language::german; }

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

/// Content words and figures, as neighbours in a sentence.
std::vector<const Token*> backbone(Tokens tokens) {
  std::vector<const Token*> words;
  for (const Token& token : tokens) {
    if (token.kind == TokenKind::content || token.kind == TokenKind::figure) {
      words.push_back(&token);
    }
  }
  return words;
}

/// "New tyres reach" for "New discs reach": one word is another, and its neighbours are the same.
/// The claim's first and last words need only the one neighbour that they have: "needs synthetic
/// grease" for "needs synthetic oil".
bool replaces_between(Tokens claim, const Stretch& stretch) {
  const auto own = backbone(claim);
  if (own.size() < 2) return false;
  const auto replaced = [&](std::size_t i, const std::vector<const Token*>& words, std::size_t k) {
    const bool before = i == 0 || (k > 0 && same_item(*own[i - 1], *words[k - 1]));
    const bool after =
        i + 1 == own.size() || (k + 1 < words.size() && same_item(*own[i + 1], *words[k + 1]));
    return before && after && words[k]->kind == TokenKind::content &&
           !has_word(claim, words[k]->text);
  };
  for (const Tokens sentence : stretch.sentences) {
    const auto words = backbone(sentence);
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (own[i]->kind != TokenKind::content || has_word(stretch.all, own[i]->text)) continue;
      for (std::size_t k = 0; k < words.size(); ++k) {
        if (replaced(i, words, k)) return true;
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

/// "86 in 2024, 79 in 2018" for "86 in 2018, 79 in 2024": two figures stand behind each other's
/// neighbours. (Words do so in many a sentence that only begins elsewhere.)
bool swaps_figures(Tokens claim, Tokens sentence) {
  const auto own = backbone(claim);
  const auto words = backbone(sentence);
  const auto has_pair = [&words](const Token& first, const Token& second) {
    for (std::size_t k = 1; k < words.size(); ++k) {
      if (same_item(first, *words[k - 1]) && same_item(second, *words[k])) return true;
    }
    return false;
  };
  for (std::size_t i = 1; i < own.size(); ++i) {
    if (own[i]->kind != TokenKind::figure || has_pair(*own[i - 1], *own[i])) continue;
    for (std::size_t j = i + 1; j < own.size(); ++j) {
      if (own[j]->kind == TokenKind::figure && !has_pair(*own[j - 1], *own[j]) &&
          has_pair(*own[i - 1], *own[j]) && has_pair(*own[j - 1], *own[i])) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace

bool substitutes(Tokens claim, const Stretch& stretch) {
  return has_contrary(claim, stretch) || replaces_name(claim, stretch) ||
         lacks_subject(claim, stretch) || replaces_noun(claim, stretch) ||
         replaces_between(claim, stretch);
}

bool reorders(Tokens claim, const Stretch& stretch) {
  if (swaps_contraries(claim, stretch.all)) return true;
  return std::any_of(stretch.sentences.begin(), stretch.sentences.end(), [claim](Tokens sentence) {
    return swaps_sides(claim, sentence) || swaps_comparison(claim, sentence) ||
           swaps_figures(claim, sentence);
  });
}

}  // namespace lore::pipeline::citations
