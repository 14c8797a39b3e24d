// Sentences that have a page's words, but one of them exchanged or in another order.
#pragma once

#include "pipeline/citations/stretch.hpp"

namespace lore::pipeline::citations {

/// Whether the stretch has a contrary, a name or another word where the claim has one of its own.
bool substitutes(Tokens claim, const Stretch& stretch);

/// Whether the two sides of a verb or a comparison, the objects of two contraries, or any two
/// figures have changed places.
bool reorders(Tokens claim, const Stretch& stretch);

}  // namespace lore::pipeline::citations
