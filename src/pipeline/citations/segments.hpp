// Clauses: the parts of a sentence within which figures and words belong together.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "pipeline/citations/tokens.hpp"

namespace lore::pipeline::citations {

using Tokens = std::span<const Token>;

/// Cuts the tokens of one sentence at semicolons, and at commas, brackets and conjunctions where
/// each side says something of its own: has a figure and what it is of, a verb ("was", "must"),
/// several words behind a comma, or repeats a word of another part ("the red lamp … and the green
/// lamp …"). What does not joins the part behind it.
std::vector<Tokens> split_clauses(Tokens sentence);

/// Cuts at every such place.
std::vector<Tokens> split_parts(Tokens sentence);

bool has_figure(Tokens tokens, const Figure& claimed);
bool has_word(Tokens tokens, std::string_view word);

/// Whether both are figures that may be the same, or content words that are.
bool same_item(const Token& claimed, const Token& found);

}  // namespace lore::pipeline::citations
