// A text cut at every place where a chunk may end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "ingest/ingest.hpp"

namespace lore::ingest {

/// What stands before a segment: how good a place this is to start a chunk, best first.
enum class Break : std::uint8_t {
  heading,
  page,  ///< a page starts, and with it a sentence
  paragraph,
  list_item,
  row,  ///< of a table
  sentence,
  page_inside,  ///< a page starts inside a sentence
  line,         ///< from here on only inside what is too long for one chunk
  clause,
  word,
  character,
};

/// A stretch of text that is kept whole where it fits. Neither end is white space.
struct Segment {
  std::size_t begin = 0;  ///< bytes of the text
  std::size_t end = 0;
  Break before = Break::paragraph;
  int heading_level = 0;  ///< of a heading's own line; 0 for all else
};

/// A heading's place in bytes.
struct HeadingMark {
  std::size_t begin = 0;
  int level = 1;
};

/// Cuts `text` (valid UTF-8, pages parted by U+000C) into segments: heading lines, table rows, list
/// items, fenced code where `fences`, and the sentences of paragraphs. In order, without overlap;
/// only white space is in none of them. `headings` in order of `begin`.
std::vector<Segment> find_segments(std::string_view text, std::span<const HeadingMark> headings,
                                   bool fences);

}  // namespace lore::ingest
