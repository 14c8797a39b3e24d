#include "pipeline/word_weights.hpp"

#include <cmath>

#include "base/utf8.hpp"
#include "pipeline/citations/citations.hpp"

namespace lore::pipeline {

WordWeights::WordWeights(std::span<const Passage> passages) {
  for (const Passage& passage : passages) {
    for (const TextSpan& sentence : split_sentences(passage.text)) {
      ++sentences_;
      for (std::string& word :
           content_words(utf8::slice(passage.text, sentence.start, sentence.end))) {
        ++sentences_with_[std::move(word)];
      }
    }
  }
}

double WordWeights::operator()(std::string_view word) const {
  const auto found = sentences_with_.find(std::string(word));
  const double with = found == sentences_with_.end() ? 0.5 : static_cast<double>(found->second);
  return std::log1p(static_cast<double>(sentences_) / with);
}

}  // namespace lore::pipeline
