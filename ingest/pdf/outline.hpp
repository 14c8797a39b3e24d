// The outline (bookmarks) of a document.
#pragma once

#include <vector>

#include "ingest/pdf/page_record.hpp"
#include "ingest/pdf/page_tree.hpp"

namespace lore::ingest::pdf {

/// The entries that lead to a page of this document, in order. Cycles are cut, the number is
/// capped.
std::vector<OutlineEntry> read_outline(const Objects& objects, const Object* catalog,
                                       const PageTree& tree);

}  // namespace lore::ingest::pdf
