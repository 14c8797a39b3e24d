// How many of a question's content words a passage has.
#pragma once

#include <cstddef>
#include <string_view>

#include "index/retrieve/query_terms.hpp"

namespace lore::index {

/// Distinct content words: stems, and two-character windows of scripts without spaces.
std::size_t count_terms(const QueryTerms& terms);

/// How many of them stand in `context` or `body`: with the same stem, as the beginning of a longer
/// word ("filter" in "Filterwechsel"), or, for scripts without spaces, anywhere.
std::size_t count_terms_met(const QueryTerms& terms, std::string_view context,
                            std::string_view body);

}  // namespace lore::index
