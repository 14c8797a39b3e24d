// What is read off the source of an HTML file before it is parsed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lore::ingest {

/// The charset that a <meta> element or an XML declaration near the start names, or "".
std::string declared_charset(std::string_view bytes);

struct FlatSource {
  std::string html;
  std::size_t dropped = 0;  ///< tags left out
};

/// The source without the tags that nest deeper than `max_depth` and without the attributes of
/// tags of unreasonable length. An HTML parser's time grows with the square of both, so a small
/// file could hold a run up for hours; the text is all kept.
FlatSource limit_nesting(std::string_view html, std::size_t max_depth);

}  // namespace lore::ingest
