// The part of a page that a sentence is compared with.
#pragma once

#include <vector>

#include "pipeline/citations/segments.hpp"

namespace lore::pipeline::citations {

/// One or two consecutive sentences of a page.
struct Stretch {
  std::vector<Tokens> sentences;
  std::vector<Tokens> clauses;  ///< of all of them, in order
  Tokens all;
};

}  // namespace lore::pipeline::citations
