// Reading order: a page is cut into regions that are read one after the other.
#pragma once

#include <vector>

#include "ingest/pdf/fragments.hpp"

namespace lore::ingest::pdf {

/// The fragments of a frame as regions in reading order: above a column gutter, left of it, right
/// of it, below. A gutter is white space that at least three lines on each side keep free, with
/// running text on both sides: the gaps between the columns of a table are none.
std::vector<std::vector<const Fragment*>> reading_regions(const Frame& frame);

}  // namespace lore::ingest::pdf
