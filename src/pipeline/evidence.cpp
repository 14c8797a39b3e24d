#include "pipeline/evidence.hpp"

namespace lore::pipeline {

bool is_sufficient(const Evidence& evidence, const EvidenceRule& rule) noexcept {
  double share = 0;
  if (evidence.query_terms > 0) {
    share = static_cast<double>(evidence.terms_met) / static_cast<double>(evidence.query_terms);
  }
  return static_cast<double>(evidence.similarity) + rule.word_share * share >= rule.enough;
}

}  // namespace lore::pipeline
