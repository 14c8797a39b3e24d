#include "pipeline/citations/scoring.hpp"

#include <algorithm>
#include <utility>

#include "base/utf8.hpp"
#include "pipeline/citations/fold.hpp"
#include "pipeline/citations/sentences.hpp"
#include "pipeline/citations/tables.hpp"

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
  return utf8::slice(text, spans[sentence].start, spans[sentence].end);
}

bool Scored::is_head(std::size_t sentence) const {
  const auto behind = heads.begin() + static_cast<std::ptrdiff_t>(sentence) + 1;
  return std::find(behind, heads.end(), sentence) != heads.end();
}

Scored score_sentences(const Query& query, std::string_view passage) {
  Scored scored;
  scored.text = utf8::sanitized(passage);
  const std::vector<char32_t> decoded = utf8::decode(scored.text);
  scored.tokens = tokenize(scored.text);
  scored.spans = find_sentences(decoded, LineEnds::guessed);
  scored.heads = column_heads(decoded, scored.spans);
  std::size_t next = 0;
  for (std::size_t i = 0; i < scored.spans.size(); ++i) {
    const TextSpan& span = scored.spans[i];
    while (next < scored.tokens.size() && scored.tokens[next].start < span.start) ++next;
    const std::size_t begin = next;
    while (next < scored.tokens.size() && scored.tokens[next].start < span.end) ++next;
    const Tokens sentence = Tokens(scored.tokens).subspan(begin, next - begin);
    scored.sentences.push_back(sentence);
    const double own = weight_in(query, sentence, {});
    // What a column is called is said of each of its cells; of a row that has nothing else of the
    // question it says nothing.
    const Tokens head = scored.sentences[scored.heads[i]];
    const double found = own > 0 && scored.heads[i] != i ? weight_in(query, sentence, head) : own;
    scored.shares.push_back(query.total > 0 ? found / query.total : 0);
  }
  for (std::size_t i = 0; i < scored.spans.size(); ++i) {
    double score = scored.shares[i];
    const double before = i > 0 ? scored.shares[i - 1] : 0;
    const double after = i + 1 < scored.spans.size() ? scored.shares[i + 1] : 0;
    score += kNeighbourShare * std::max(before, after);
    const bool figure =
        std::any_of(scored.sentences[i].begin(), scored.sentences[i].end(),
                    [](const Token& token) { return token.kind == TokenKind::figure; });
    if (query.asks_for_figure && figure && scored.shares[i] > 0) score += kFigureBonus;
    scored.scores.push_back(score);
  }
  return scored;
}

}  // namespace lore::pipeline::citations
