// Which small words say how others belong to a sentence.
#pragma once

#include <string_view>

namespace lore::pipeline::citations {

/// The relation that a word, folded or stemmed, makes with the next noun or figure: "of", "from",
/// "at least"; one name for what means the same, empty for other words.
std::string_view relation_word(std::string_view word);

/// "than", "zu", "von": adds nothing to a bound before it.
bool relation_joins(std::string_view word);

/// What a relation leaves open: from, after, more than are low bounds; until, within, less than
/// high ones.
enum class Bound { none, low, high };
Bound bound_of_relation(std::string_view relation);

/// "more than", "at least", and with `of_place` "over": a figure with one is another without it.
bool is_comparison_bound(std::string_view relation, bool of_place);

/// Of the stem of "longer" (than), "fewer" (than).
Bound bound_of_comparative(std::string_view stem);

/// The case that a German article tells as a relation: "dem", "den", "des"; empty for others.
std::string_view case_of_article(std::string_view article);
bool is_case(std::string_view relation);

enum class Modality { none, possible, advised, needed };
Modality modality_of(std::string_view word);

}  // namespace lore::pipeline::citations
