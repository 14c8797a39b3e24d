// How well the sentences of a passage fit a question, by their words.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/citations/citations.hpp"
#include "pipeline/citations/parsed_text.hpp"

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

/// One passage, and how well each of its sentences fits the question.
struct Scored {
  std::string text;  ///< valid UTF-8; what the spans of `parsed` are of
  ParsedText parsed;
  std::vector<double> shares;  ///< [sentence], of the query's weight that stands there, 0 to 1
  /// [sentence]: the share, a fourth of the better neighbour's, and 0.1 where a figure is asked for
  /// and there.
  std::vector<double> scores;

  std::size_t size() const { return parsed.spans.size(); }
  std::string_view written(std::size_t sentence) const;
  /// Whether a sentence names the columns of a table.
  bool is_head(std::size_t sentence) const;
};

/// Each sentence of a passage by itself.
Scored score_sentences(const Query& query, std::string_view passage);

/// How much the similarity of a whole passage adds to the scores of its sentences.
inline constexpr double kSimilarityShare = 0.3;

}  // namespace lore::pipeline::citations
