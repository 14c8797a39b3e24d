#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_set>
#include <utility>

#include "base/utf8.hpp"
#include "pipeline/citations/citations.hpp"
#include "pipeline/citations/segments.hpp"
#include "pipeline/citations/sentences.hpp"

namespace lore::pipeline {
namespace {

using citations::Token;
using citations::TokenKind;
using citations::Tokens;

constexpr double kNeighbourShare = 0.25;
constexpr double kSimilarityShare = 0.3;
constexpr double kFigureBonus = 0.1;

/// What a text asks for or says, each once: stems of words, normal forms of figures.
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

struct Query {
  struct Term {
    std::string word;
    double weight = 1;
  };
  std::vector<Term> terms;
  double total = 0;  // of all weights
  bool asks_for_figure = false;
};

bool asks_for_figure(std::string_view query) {
  static constexpr std::string_view kSigns[] = {
      "how many",     "how much",    "how long",   "how often", "how high",     "how far",
      "how old",      "how big",     "how large",  "how fast",  "how hot",      "how heavy",
      "what time",    "when ",       "wie viel",   "wie lang",  "wie oft",      "wie hoch",
      "wie weit",     "wie gross",   "wie schwer", "wann ",     "\u591A\u5C11", "\u51E0",
      "\u591A\u957F", "\u591A\u4E45"};
  const citations::Folded folded = citations::fold(query);
  const std::string text = utf8::encode(folded.text) + " ";
  return std::any_of(std::begin(kSigns), std::end(kSigns), [&text](std::string_view sign) {
    return text.find(sign) != std::string::npos;
  });
}

Query make_query(std::string_view text, const WordWeight& weight) {
  Query query;
  for (std::string& word : distinct_words(citations::tokenize(text))) {
    Query::Term term;
    term.weight = weight ? std::max(0.0, weight(word)) : 1.0;
    term.word = std::move(word);
    query.total += term.weight;
    query.terms.push_back(std::move(term));
  }
  query.asks_for_figure = asks_for_figure(text);
  return query;
}

bool has_term(Tokens sentence, const std::string& word) {
  return std::any_of(sentence.begin(), sentence.end(), [&word](const Token& token) {
    if (token.kind == TokenKind::figure) return token.text == word;
    return citations::matches_word(token, word);
  });
}

/// One passage cut into sentences, with the weighted share of the query in each.
struct Scored {
  std::vector<TextSpan> spans;
  std::vector<Tokens> sentences;
  std::vector<double> shares;
  std::vector<double> scores;
  std::vector<Token> tokens;
};

Scored score_sentences(const Query& query, std::string_view text) {
  Scored scored;
  scored.tokens = citations::tokenize(text);
  scored.spans = citations::find_sentences(utf8::decode(text), citations::LineEnds::guessed);
  std::size_t next = 0;
  for (const TextSpan& span : scored.spans) {
    while (next < scored.tokens.size() && scored.tokens[next].start < span.start) ++next;
    const std::size_t begin = next;
    while (next < scored.tokens.size() && scored.tokens[next].start < span.end) ++next;
    const Tokens sentence = Tokens(scored.tokens).subspan(begin, next - begin);
    double found = 0;
    for (const Query::Term& term : query.terms) {
      if (has_term(sentence, term.word)) found += term.weight;
    }
    scored.sentences.push_back(sentence);
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

/// Whether a sentence can be an answer: three words at least, and no question.
bool can_answer(std::string_view text, const TextSpan& span, Tokens sentence) {
  const auto words = std::count_if(sentence.begin(), sentence.end(), [](const Token& token) {
    return token.kind != TokenKind::boundary;
  });
  const std::string_view written = utf8::slice(text, span.start, span.end);
  const bool question = written.ends_with("?") || written.ends_with("\uFF1F");
  return words >= 3 && !question;
}

/// The same words in the same order: a repetition, as of a running header.
std::string key_of(Tokens sentence) {
  std::string key;
  for (const Token& token : sentence) key += token.text + ' ';
  return key;
}

/// The longest start of [begin, end) that ends between words and fits; empty where none does.
TextSpan cut_to_words(std::string_view passage, const TextSpan& sentence, std::size_t budget,
                      FunctionRef<std::size_t(std::string_view)> count_tokens) {
  const std::vector<char32_t> text = utf8::decode(passage);
  std::vector<std::size_t> ends;
  for (std::size_t i = sentence.start + 1; i < sentence.end; ++i) {
    const bool between = text[i] == U' ' || text[i] == U'\n' || citations::is_unspaced(text[i]);
    if (between) ends.push_back(i);
  }
  std::size_t low = 0;  // how many of the ends are known to fit
  std::size_t high = ends.size();
  while (low < high) {
    const std::size_t middle = (low + high + 1) / 2;
    const std::size_t end = ends[middle - 1];
    if (count_tokens(utf8::slice(passage, sentence.start, end)) <= budget) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low == 0 ? TextSpan{sentence.start, sentence.start}
                  : TextSpan{sentence.start, ends[low - 1]};
}

}  // namespace

std::vector<std::string> content_words(std::string_view text) {
  return distinct_words(citations::tokenize(text));
}

std::vector<ScoredSentence> best_sentences(std::string_view query_text,
                                           std::span<const PassageText> passages, std::size_t count,
                                           const WordWeight& weight) {
  struct Candidate {
    ScoredSentence sentence;
    double share = 0;
    std::string key;
  };
  const Query query = make_query(query_text, weight);
  std::vector<Candidate> candidates;
  bool any_share = false;
  for (std::size_t number = 0; number < passages.size(); ++number) {
    const std::string text = utf8::sanitized(passages[number].text);
    const Scored scored = score_sentences(query, text);
    for (std::size_t i = 0; i < scored.spans.size(); ++i) {
      if (!can_answer(text, scored.spans[i], scored.sentences[i])) continue;
      Candidate candidate;
      candidate.sentence.passage = number;
      candidate.sentence.span = scored.spans[i];
      candidate.sentence.score = scored.scores[i] + kSimilarityShare * passages[number].similarity;
      candidate.share = scored.shares[i];
      candidate.key = key_of(scored.sentences[i]);
      any_share = any_share || candidate.share > 0;
      candidates.push_back(std::move(candidate));
    }
  }
  std::stable_sort(candidates.begin(), candidates.end(), [](const auto& a, const auto& b) {
    return a.sentence.score > b.sentence.score;
  });
  std::vector<ScoredSentence> best;
  std::unordered_set<std::string> seen;
  for (const Candidate& candidate : candidates) {
    if (best.size() == count) break;
    if (any_share && candidate.share == 0) continue;
    if (seen.insert(candidate.key).second) best.push_back(candidate.sentence);
  }
  return best;
}

TextSpan context_sentences(std::string_view passage, std::string_view query,
                           std::size_t token_budget,
                           FunctionRef<std::size_t(std::string_view)> count_tokens,
                           const WordWeight& weight) {
  if (token_budget == 0) return {};
  const std::string text = utf8::sanitized(passage);
  const Scored scored = score_sentences(make_query(query, weight), text);
  if (scored.spans.empty()) return {};
  const auto fits = [&](const TextSpan& span) {
    return count_tokens(utf8::slice(text, span.start, span.end)) <= token_budget;
  };
  const TextSpan whole{scored.spans.front().start, scored.spans.back().end};
  if (fits(whole)) return whole;
  const auto best = std::max_element(scored.scores.begin(), scored.scores.end());
  std::size_t first = static_cast<std::size_t>(best - scored.scores.begin());
  std::size_t last = first;
  if (!fits(scored.spans[first])) {
    return cut_to_words(text, scored.spans[first], token_budget, count_tokens);
  }
  bool room_before = first > 0;
  bool room_after = last + 1 < scored.spans.size();
  while (room_before || room_after) {
    // The better side first; of equal ones what follows, where an answer usually goes on.
    const bool takes_before =
        room_before && (!room_after || scored.shares[first - 1] > scored.shares[last + 1]);
    const TextSpan wider = takes_before
                               ? TextSpan{scored.spans[first - 1].start, scored.spans[last].end}
                               : TextSpan{scored.spans[first].start, scored.spans[last + 1].end};
    const bool taken = fits(wider);
    if (taken) takes_before ? --first : ++last;
    if (takes_before) {
      room_before = taken && first > 0;
    } else {
      room_after = taken && last + 1 < scored.spans.size();
    }
  }
  return {scored.spans[first].start, scored.spans[last].end};
}

}  // namespace lore::pipeline
