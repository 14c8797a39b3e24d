#include "pipeline/citations/scoring.hpp"

#include <algorithm>
#include <utility>

#include "base/utf8.hpp"
#include "pipeline/citations/fold.hpp"

namespace lore::pipeline::citations {
namespace {

constexpr double kNeighbourShare = 0.25;
constexpr double kFigureBonus = 0.1;

bool asks_for_figure(std::string_view query) {
  static constexpr std::string_view kSigns[] = {
      "how many",     "how much",    "how long",   "how often", "how high",     "how far",
      "how old",      "how big",     "how large",  "how fast",  "how hot",      "how heavy",
      "what time",    "when ",       "wie viel",   "wie lang",  "wie oft",      "wie hoch",
      "wie weit",     "wie gross",   "wie schwer", "wann ",     "\u591A\u5C11", "\u51E0",
      "\u591A\u957F", "\u591A\u4E45"};
  const Folded folded = fold(query);
  const std::string text = utf8::encode(folded.text) + " ";
  return std::any_of(std::begin(kSigns), std::end(kSigns), [&text](std::string_view sign) {
    return text.find(sign) != std::string::npos;
  });
}

bool has_term(Tokens sentence, const std::string& word) {
  return std::any_of(sentence.begin(), sentence.end(), [&word](const Token& token) {
    if (token.kind == TokenKind::figure) return token.text == word;
    return matches_word(token, word);
  });
}

/// The weight of the query's words that stand in a sentence or in its table's head.
double weight_in(const Query& query, Tokens sentence, Tokens head) {
  double found = 0;
  for (const Query::Term& term : query.terms) {
    if (has_term(sentence, term.word) || has_term(head, term.word)) found += term.weight;
  }
  return found;
}

}  // namespace

std::vector<std::string> distinct_words(Tokens tokens) {
  std::vector<std::string> words;
  for (const Token& token : tokens) {
    if (token.kind != TokenKind::content && token.kind != TokenKind::figure) continue;
    if (std::find(words.begin(), words.end(), token.text) == words.end()) {
      words.push_back(token.text);
    }
  }
  return words;
}

Query make_query(std::string_view text, const WordWeight& weight) {
  Query query;
  for (std::string& word : distinct_words(tokenize(text))) {
    Query::Term term;
    term.weight = weight ? std::max(0.0, weight(word)) : 1.0;
    term.word = std::move(word);
    query.total += term.weight;
    query.terms.push_back(std::move(term));
  }
  query.asks_for_figure = asks_for_figure(text);
  return query;
}

std::string_view Scored::written(std::size_t sentence) const {
  const TextSpan& span = parsed.spans[sentence];
  return utf8::slice(text, span.start, span.end);
}

bool Scored::is_head(std::size_t sentence) const {
  const auto behind = parsed.heads.begin() + static_cast<std::ptrdiff_t>(sentence) + 1;
  return std::find(behind, parsed.heads.end(), sentence) != parsed.heads.end();
}

Scored score_sentences(const Query& query, std::string_view passage) {
  std::string text = utf8::sanitized(passage);
  ParsedText parsed(text);
  Scored scored{std::move(text), std::move(parsed), {}, {}};
  for (std::size_t i = 0; i < scored.size(); ++i) {
    const Tokens sentence = scored.parsed.sentence(i);
    double found = weight_in(query, sentence, {});
    // What a column is called is said of each of its cells; of a row that has nothing else of the
    // question it says nothing.
    if (found > 0 && scored.parsed.has_head(i)) {
      found = weight_in(query, sentence, scored.parsed.sentence(scored.parsed.heads[i]));
    }
    scored.shares.push_back(query.total > 0 ? found / query.total : 0);
  }
  for (std::size_t i = 0; i < scored.size(); ++i) {
    double score = scored.shares[i];
    const double before = i > 0 ? scored.shares[i - 1] : 0;
    const double after = i + 1 < scored.size() ? scored.shares[i + 1] : 0;
    score += kNeighbourShare * std::max(before, after);
    const Tokens sentence = scored.parsed.sentence(i);
    const bool figure = std::any_of(sentence.begin(), sentence.end(), [](const Token& token) {
      return token.kind == TokenKind::figure;
    });
    if (query.asks_for_figure && figure && scored.shares[i] > 0) score += kFigureBonus;
    scored.scores.push_back(score);
  }
  return scored;
}

}  // namespace lore::pipeline::citations
