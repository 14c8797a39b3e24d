// Readers of text formats: bytes of a file to a Document of one page.
#pragma once

#include <string_view>

#include "ingest/ingest.hpp"

namespace lore::ingest {

/// Plain text, stored as it is. Lines underlined by =, - or ~ are headings.
Document read_plain_text(std::string_view bytes);

/// Markdown (CommonMark), stored as its own source, so that a span quotes the file. Headings and
/// the title come from the parsed document; the title also from front matter.
Document read_markdown(std::string_view bytes);

/// HTML, stored as the text that a browser shows: paragraphs parted by empty lines, list items with
/// "- " or their number, one line a table row with cells parted by tabs. Scripts, styles and hidden
/// elements are left out.
Document read_html(std::string_view bytes);

}  // namespace lore::ingest
