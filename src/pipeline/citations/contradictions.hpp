// What keeps a stretch of a page from confirming a sentence although it has its words.
#pragma once

#include <span>

#include "pipeline/citations/stretch.hpp"

namespace lore::pipeline::citations {

/// Whether sentence and stretch negate the same: as many negations, each at the same word.
bool same_negations(Tokens claim, const Stretch& stretch);

/// Whether the stretch contradicts the claim, whose clauses are given:
/// - it has a contrary word (outlet) in place of one of the claim (inlet);
/// - a figure or word of a clause stands, in the page, in a clause or row of something else;
/// - another name or noun stands in the claim's place ("of the pump", "of the motor");
/// - the two sides of a verb or a comparison have changed places, or two words the small words
///   before them ("from the pump to the tank");
/// - a bound is another ("until", "from"), or what may be must be.
bool contradicts(Tokens claim, std::span<const Tokens> clauses, const Stretch& stretch);

}  // namespace lore::pipeline::citations
