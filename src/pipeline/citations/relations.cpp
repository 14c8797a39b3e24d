#include "pipeline/citations/relations.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "pipeline/citations/relation_words.hpp"

namespace lore::pipeline::citations {
namespace {

using Word = std::string_view;

/// The word that tells how another one belongs to its sentence; empty for none.
using Relations = std::vector<Word>;

/// A word or figure, and each relation that a text has it in.
struct Item {
  const Token* token;
  Relations own;    // in the claim
  Relations found;  // in the stretch
};

bool has(const Relations& relations, Word relation) {
  return std::find(relations.begin(), relations.end(), relation) != relations.end();
}

bool is_item(const Token& token) {
  return token.kind == TokenKind::content || token.kind == TokenKind::figure;
}

/// The relation of the word before `index` with it, for a word that makes one; empty for others.
Word relation_at(Tokens tokens, std::size_t index) {
  const Token& token = tokens[index];
  if (token.kind == TokenKind::negation) return "not";
  const bool compares = index + 1 < tokens.size() &&
                        tokens[index + 1].kind == TokenKind::function &&
                        is_comparison(tokens[index + 1].text);
  if (compares && bound_of_comparative(token.text) != Bound::none) {
    return bound_of_comparative(token.text) == Bound::low ? "more" : "less";
  }
  return relation_word(token.text);
}

/// How each token belongs to its sentence: by the last relation before it. A comma, a verb and the
/// next noun's article end what one governs.
Relations relations_of(Tokens tokens) {
  Relations relations(tokens.size());
  Word current;
  bool noun_before = false;  // since the relation began
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    const Word relation = relation_at(tokens, i);
    if (!relation.empty()) {
      // "more than", "bis zum", "innerhalb von": the second word only joins the first.
      const bool joins = relation_joins(token.text) && !noun_before;
      if (!joins || bound_of_relation(current) == Bound::none) current = relation;
      noun_before = false;
    } else if (is_item(token)) {
      relations[i] = current;
      noun_before = true;
    } else if (token.kind == TokenKind::boundary) {
      if (is_conjunction(token.text)) {
        noun_before = false;  // "of the pump and the motor"
      } else {
        current = {};
      }
    } else if (is_auxiliary(token.text)) {
      current = {};
    } else if (is_article(token.text)) {
      const bool governed = !current.empty() && !is_case(current);
      if (noun_before || !governed) current = case_of_article(token.text);
      noun_before = false;
    }
  }
  return relations;
}

/// The claim's words and figures that the stretch has too.
std::vector<Item> common_items(Tokens claim, const Stretch& stretch) {
  const Relations own = relations_of(claim);
  std::vector<Relations> found;
  for (const Tokens sentence : stretch.sentences) found.push_back(relations_of(sentence));
  std::vector<Item> items;
  for (std::size_t i = 0; i < claim.size(); ++i) {
    if (!is_item(claim[i])) continue;
    const auto known = std::find_if(items.begin(), items.end(), [&](const Item& item) {
      return same_item(*item.token, claim[i]);
    });
    if (known != items.end()) {
      known->own.push_back(own[i]);
      continue;
    }
    Item item{&claim[i], {own[i]}, {}};
    for (std::size_t n = 0; n < found.size(); ++n) {
      for (std::size_t k = 0; k < found[n].size(); ++k) {
        if (same_item(claim[i], stretch.sentences[n][k])) item.found.push_back(found[n][k]);
      }
    }
    if (!item.found.empty()) items.push_back(std::move(item));
  }
  return items;
}

/// Whether the claim has `gains` in a relation that the page has `loses` in, and the other way
/// round in the relation that those change for.
bool are_exchanged(const Item& gains, const Item& loses) {
  const auto moved = [](const Item& to, const Item& from, Word relation) {
    return has(to.own, relation) && !has(to.found, relation) && has(from.found, relation) &&
           !has(from.own, relation);
  };
  return std::any_of(gains.own.begin(), gains.own.end(), [&](Word relation) {
    return !relation.empty() && moved(gains, loses, relation) &&
           std::any_of(loses.own.begin(), loses.own.end(),
                       [&](Word other) { return moved(loses, gains, other); });
  });
}

/// "by 4 %" is neither "to 4 %" nor "from 4 %", and "by 1 March" not "after 1 March".
bool opposes_by(Word relation, bool figure) {
  return relation == "to" || relation == "auf" ||
         (figure && bound_of_relation(relation) == Bound::low);
}

bool are_opposed(Word first, Word second, bool figure) {
  if (first == "by") return opposes_by(second, figure);
  if (second == "by") return opposes_by(first, figure);
  const Bound one = bound_of_relation(first);
  const Bound other = bound_of_relation(second);
  return one != Bound::none && other != Bound::none && one != other;
}

bool is_bound(Word relation) { return bound_of_relation(relation) != Bound::none; }

/// Whether one side gives a figure as it is, the other as a bound: "25 people", "more than 25". The
/// page's "below" and "over" may stand elsewhere in the claim: "below a pressure of 5 bar".
bool adds_or_drops_bound(const Item& item) {
  if (item.token->kind != TokenKind::figure) return false;
  const auto has_comparison = [](const Relations& relations, bool of_place) {
    return std::all_of(relations.begin(), relations.end(),
                       [&](Word word) { return is_comparison_bound(word, of_place); });
  };
  const auto has_bound = [](const Relations& relations) {
    return std::any_of(relations.begin(), relations.end(), is_bound);
  };
  return (has_comparison(item.own, true) && !has_bound(item.found)) ||
         (has_comparison(item.found, false) && !has_bound(item.own));
}

/// "was acquired by Beta": the verb, and who did it.
struct Agent {
  const Token* verb;
  Tokens names;
};

std::vector<Agent> agents_of(Tokens tokens) {
  std::vector<Agent> agents;
  for (std::size_t i = 2; i + 1 < tokens.size(); ++i) {
    const bool passive = tokens[i].text == "by" && tokens[i - 1].kind == TokenKind::content &&
                         tokens[i - 2].kind == TokenKind::function &&
                         is_auxiliary(tokens[i - 2].text);
    if (!passive) continue;
    std::size_t begin = i + 1;
    while (begin < tokens.size() && tokens[begin].kind == TokenKind::function) ++begin;
    std::size_t end = begin;
    while (end < tokens.size() && tokens[end].kind == TokenKind::content) ++end;
    if (end > begin) agents.push_back({&tokens[i - 1], tokens.subspan(begin, end - begin)});
  }
  return agents;
}

bool is_same_word(const Token& first, const Token& second) {
  return first.kind == TokenKind::content &&
         (matches_word(second, first.text) || matches_word(first, second.text));
}

/// Whether `active` has the verb of a passive with the one who acts behind it.
bool has_agent_behind_verb(Tokens passive, Tokens active) {
  const std::vector<Agent> agents = agents_of(passive);
  return std::any_of(agents.begin(), agents.end(), [active](const Agent& agent) {
    const auto place = [active](const Token& word) {
      return std::find_if(active.begin(), active.end(),
                          [&word](const Token& other) { return is_same_word(word, other); });
    };
    const auto verb = place(*agent.verb);
    const auto name = place(agent.names.front());
    return verb != active.end() && name != active.end() && verb < name &&
           std::none_of(verb, name, [](const Token& token) { return token.text == "by"; });
  });
}

bool has_negation(Tokens tokens) {
  return std::any_of(tokens.begin(), tokens.end(),
                     [](const Token& token) { return token.kind == TokenKind::negation; });
}

std::vector<Modality> modalities_of(Tokens tokens) {
  std::vector<Modality> modalities;
  for (const Token& token : tokens) {
    if (token.kind != TokenKind::function) continue;
    const Modality modality = modality_of(token.text);
    if (modality != Modality::none) modalities.push_back(modality);
  }
  return modalities;
}

}  // namespace

bool exchanges_relations(Tokens claim, const Stretch& stretch) {
  const std::vector<Item> items = common_items(claim, stretch);
  return std::any_of(items.begin(), items.end(), [&items](const Item& gains) {
    return std::any_of(items.begin(), items.end(),
                       [&gains](const Item& loses) { return are_exchanged(gains, loses); });
  });
}

bool opposes_bounds(Tokens claim, const Stretch& stretch) {
  const std::vector<Item> items = common_items(claim, stretch);
  return std::any_of(items.begin(), items.end(), [](const Item& item) {
    if (adds_or_drops_bound(item)) return true;
    const bool figure = item.token->kind == TokenKind::figure;
    return std::any_of(item.own.begin(), item.own.end(), [&](Word own) {
      return std::all_of(item.found.begin(), item.found.end(),
                         [&](Word found) { return are_opposed(own, found, figure); });
    });
  });
}

bool reverses_voice(Tokens claim, const Stretch& stretch) {
  return std::any_of(stretch.sentences.begin(), stretch.sentences.end(), [claim](Tokens sentence) {
    return has_agent_behind_verb(claim, sentence) || has_agent_behind_verb(sentence, claim);
  });
}

bool changes_modality(Tokens claim, const Stretch& stretch) {
  if (has_negation(claim) || has_negation(stretch.all)) return false;
  const std::vector<Modality> found = modalities_of(stretch.all);
  if (found.empty()) return false;
  const std::vector<Modality> own = modalities_of(claim);
  return std::any_of(own.begin(), own.end(), [&found](Modality modality) {
    return std::find(found.begin(), found.end(), modality) == found.end();
  });
}

}  // namespace lore::pipeline::citations
