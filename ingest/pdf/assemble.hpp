// Puts a document together from the records of its pages.
#pragma once

#include <vector>

#include "ingest/ingest.hpp"
#include "ingest/pdf/page_record.hpp"

namespace lore::ingest::pdf {

/// The text of every page (line-end hyphens joined, blocks parted by an empty line, cells of a row
/// by a tab), headings from the outline or from size and weight, and what was lost of the pages
/// that could be read, in words. `pages` has one record for each of info.page_count pages.
Document assemble(const DocumentInfo& info, const std::vector<PageRecord>& pages);

/// Where a line of a record went: used by the headings.
struct PlacedLine {
  const TextLine* line = nullptr;
  std::string text;  ///< as it stands in the document: hyphens joined
  std::size_t page = 0;
  std::size_t block = 0;   ///< index in the page
  std::size_t index = 0;   ///< of the line in its block
  std::size_t start = 0;   ///< code points from the start of the document's text
  bool furniture = false;  ///< a running header or footer
};

/// Marks lines that repeat, digits apart, on three or more pages at the same edge.
void mark_furniture(std::vector<PlacedLine>& lines, std::size_t page_count);

/// What was lost of pages that could be read, with the numbers of those pages.
std::vector<std::string> describe_losses(const std::vector<PageRecord>& pages);

/// The headings of a document, by start.
std::vector<Heading> find_headings(const DocumentInfo& info, const std::vector<PlacedLine>& lines);

}  // namespace lore::ingest::pdf
