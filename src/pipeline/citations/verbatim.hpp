// Sentences that a page has word for word.
#pragma once

#include <string_view>
#include <vector>

#include "pipeline/citations/citations.hpp"

namespace lore::pipeline::citations {

/// The one or two whole sentences of `page` that are `sentence`, but for case, accents, white space
/// and the hyphens of broken words; empty for none. The lines of a paragraph are joined whatever
/// their width: in a narrow column every second one may start with a capital.
TextSpan find_verbatim(std::string_view sentence, std::string_view page);

}  // namespace lore::pipeline::citations
