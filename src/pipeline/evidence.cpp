#include "pipeline/evidence.hpp"

namespace lore::pipeline {

bool is_sufficient(const Evidence& evidence, const EvidenceRule& rule) noexcept {
  if (evidence.similarity < rule.least_similarity) return false;
  if (evidence.similarity >= rule.ample_similarity) return true;
  if (evidence.query_terms == 0) return false;
  const double coverage =
      static_cast<double>(evidence.terms_met) / static_cast<double>(evidence.query_terms);
  return coverage >= rule.least_coverage;
}

}  // namespace lore::pipeline
