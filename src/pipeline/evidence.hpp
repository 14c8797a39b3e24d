// The rule that decides from retrieval alone whether the documents speak of a question at all.
#pragma once

#include "lore/types.hpp"

namespace lore::pipeline {

/// The thresholds, measured on the questions of examples/ and on SQuAD 2.0 articles
/// (docs/answers.md tells what they reach).
struct EvidenceRule {
  /// Below this cosine the best passage is about something else, whatever words it shares.
  float least_similarity = 0.20F;
  /// At or above this one the passage is close enough, whatever words it lacks.
  float ample_similarity = 0.60F;
  /// Between the two: this share of the question's content words must stand in one passage.
  double least_coverage = 0.5;
};

bool is_sufficient(const Evidence& evidence, const EvidenceRule& rule = {}) noexcept;

}  // namespace lore::pipeline
