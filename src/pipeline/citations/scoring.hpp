// How well the sentences of a passage fit a question, by their words.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/citations/citations.hpp"
#include "pipeline/citations/segments.hpp"
#include "pipeline/citations/tokens.hpp"

namespace lore::pipeline::citations {

/// What a text asks for or says, each once: stems of words, normal forms of figures.
std::vector<std::string> distinct_words(Tokens tokens);

/// A question's words and what each of them weighs.
struct Query {
  struct Term {
    std::string word;
    double weight = 1;
  };
  std::vector<Term> terms;
  double total = 0;              ///< of all weights
  bool asks_for_figure = false;  ///< "how many", "wie lange", and their like
};

Query make_query(std::string_view text, const WordWeight& weight);

/// One passage cut into sentences. All lists have one entry a sentence.
struct Scored {
  Scored() = default;
  Scored(Scored&&) = default;  // a copy's sentences would be the original's

  std::string text;  ///< valid UTF-8; what the spans are of
  std::vector<TextSpan> spans;
  std::vector<Tokens> sentences;   ///< of `tokens`
  std::vector<std::size_t> heads;  ///< of a table's row the one that names its columns, else itself
  std::vector<double> shares;      ///< of the query's weight that stands in the sentence, 0 to 1
  /// The share, a fourth of the better neighbour's, and 0.1 where a figure is asked for and there.
  std::vector<double> scores;
  std::vector<Token> tokens;

  std::string_view written(std::size_t sentence) const;
  /// Whether a sentence names the columns of a table.
  bool is_head(std::size_t sentence) const;
};

/// Each sentence of a passage by itself.
Scored score_sentences(const Query& query, std::string_view passage);

/// How much the similarity of a whole passage adds to the scores of its sentences.
inline constexpr double kSimilarityShare = 0.3;

}  // namespace lore::pipeline::citations
