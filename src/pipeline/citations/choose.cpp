#include <algorithm>
#include <string>
#include <unordered_set>
#include <utility>

#include "pipeline/citations/citations.hpp"
#include "pipeline/citations/scoring.hpp"

namespace lore::pipeline {
namespace {

using citations::Scored;
using citations::Token;
using citations::TokenKind;
using citations::Tokens;

/// Whether a sentence can be an answer: three words at least, no question, no row that only names a
/// table's columns, and not the settings that a Markdown file begins with.
bool can_answer(const Scored& scored, std::size_t sentence) {
  const Tokens tokens = scored.parsed.sentence(sentence);
  const auto words = std::count_if(tokens.begin(), tokens.end(), [](const Token& token) {
    return token.kind != TokenKind::boundary;
  });
  const std::string_view written = scored.written(sentence);
  const bool question = written.ends_with("?") || written.ends_with("\uFF1F");
  return words >= 3 && !question && !scored.is_head(sentence) && !written.starts_with("---");
}

/// The same words in the same order: a repetition, as of a running header.
std::string key_of(Tokens sentence) {
  std::string key;
  for (const Token& token : sentence) key += token.text + ' ';
  return key;
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
  const citations::Query query = citations::make_query(query_text, weight);
  std::vector<Candidate> candidates;
  bool any_share = false;
  for (std::size_t number = 0; number < passages.size(); ++number) {
    const Scored scored = score_sentences(query, passages[number].text);
    for (std::size_t i = 0; i < scored.size(); ++i) {
      if (!can_answer(scored, i)) continue;
      Candidate candidate;
      candidate.sentence.passage = number;
      candidate.sentence.span = scored.parsed.spans[i];
      candidate.sentence.score =
          scored.scores[i] + citations::kSimilarityShare * passages[number].similarity;
      candidate.share = scored.shares[i];
      candidate.key = key_of(scored.parsed.sentence(i));
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

}  // namespace lore::pipeline
