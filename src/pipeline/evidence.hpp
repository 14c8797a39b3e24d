// The rule that decides from retrieval alone whether the documents speak of a question at all.
#pragma once

#include "lore/types.hpp"

namespace lore::pipeline {

/// Sufficient: similarity + word_share * (share of the question's content words that one passage
/// has) is at least `enough`.
///
/// The two numbers were fitted with all-MiniLM-L6-v2 (F16), chunks of 256 tokens, on eight
/// SQuAD 2.0 articles: 300 answerable questions, of which 3 % are refused; 160 questions about ten
/// articles that are not there, of which 93 % are refused; 300 unanswerable ones about the same
/// articles, of which 10 % are (they share the words and the matter of the text, so that only
/// checking an answer can tell them). Of the 20 answerable questions about examples/documents none
/// is refused.
struct EvidenceRule {
  double word_share = 0.6;
  double enough = 0.7;
};

bool is_sufficient(const Evidence& evidence, const EvidenceRule& rule = {}) noexcept;

}  // namespace lore::pipeline
