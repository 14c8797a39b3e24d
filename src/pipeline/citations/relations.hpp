// What the small words of a sentence say of the words behind them: who does it, where from and to,
// at least or at most, may or must.
#pragma once

#include "pipeline/citations/stretch.hpp"

namespace lore::pipeline::citations {

/// Whether two words, codes or figures of the claim have exchanged the small words before them:
/// "from the pump to the tank" for "from the tank to the pump", "V2 opens before V1" for "V1 opens
/// before V2", German articles by their case.
bool exchanges_relations(Tokens claim, const Stretch& stretch);

/// Whether a word or figure of the claim has a bound that opposes each of those that it has in the
/// stretch: "after 14 days" for "within 14 days", "ab 8 Uhr" for "bis 8 Uhr", "at least" for "up
/// to"; or a figure has one on one side only: "more than 25 people" for "25 people".
bool opposes_bounds(Tokens claim, const Stretch& stretch);

/// Whether one is active and the other passive, but not with the same one acting: "Alpha acquired
/// Beta" for "Alpha was acquired by Beta".
bool reverses_voice(Tokens claim, const Stretch& stretch);

/// Whether the claim has "must" where the stretch has "can", or the like. Sentences that negate are
/// left to the comparison of negations: "may not" is "must not".
bool changes_modality(Tokens claim, const Stretch& stretch);

}  // namespace lore::pipeline::citations
