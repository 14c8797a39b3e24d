// Passages and citations as a person reads them.
#pragma once

#include <span>
#include <string>

#include "cli/render/style.hpp"
#include "lore/types.hpp"

namespace lore::cli {

/// "manuals/pump.pdf, page iv", a link where the terminal has them.
std::string place_of(const Passage& passage, const Style& style);
std::string place_of(const Citation& citation, const Style& style);

/// The numbered list of a search; `explain` tells each list's rank and score.
std::string render_hits(std::span<const Passage> passages, bool explain, const Style& style);

/// What follows a streamed answer: each citation with its quote and what the check found.
std::string render_citations(const Answer& answer, const Style& style);

/// A whole answer with its citations, or a refusal. `streamed`: the model's text was shown already,
/// as it was written, and what is missing goes below.
std::string render_answer(const Answer& answer, bool streamed, const Style& style);

/// One line that says where the answer will come from.
std::string render_sources(std::span<const Passage> passages);

}  // namespace lore::cli
