// From the glyphs of a page to lines and blocks in reading order.
#pragma once

#include <vector>

#include "ingest/pdf/page_content.hpp"
#include "ingest/pdf/page_record.hpp"

namespace lore::ingest::pdf {

/// Words by gaps and space glyphs, rows by baseline within each direction of writing, columns by
/// gutters of at least three lines, rows of tables kept whole, blocks by leading, size and indent.
std::vector<TextBlock> lay_out(const PageContent& page);

}  // namespace lore::ingest::pdf
