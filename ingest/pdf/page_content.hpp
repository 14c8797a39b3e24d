// What the content streams of one page draw, as far as text needs it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ingest/pdf/geometry.hpp"

namespace lore::ingest::pdf {

/// One shown character code, in display space: points, origin at the top left of the crop box as
/// a reader sees the page (after /Rotate), y downwards.
struct Glyph {
  float x = 0, y = 0;            ///< origin on the baseline
  float dx = 0, dy = 0;          ///< advance of the glyph itself, without added spacing
  float size = 0;                ///< height of an em
  std::uint32_t text_start = 0;  ///< its characters: PageContent::text[text_start, + text_length)
  std::uint32_t text_length = 0;
  std::int16_t direction = 0;  ///< of the advance: degrees in [0, 360), clockwise as y goes down
  bool bold = false;
  bool vertical = false;  ///< vertical writing
};

/// A thin line, horizontal or vertical, in display space.
struct Rule {
  float x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  bool horizontal() const { return x1 - x0 > y1 - y0; }
};

struct PageContent {
  double width = 0, height = 0;  ///< of the crop box as seen
  std::u32string text;
  std::vector<Glyph> glyphs;  ///< in the order of drawing
  std::vector<Rule> rules;
  std::size_t unmapped = 0;  ///< glyphs that became U+FFFD
  double image_area = 0;     ///< of all pictures, in square points
  std::vector<std::string> problems;
};

}  // namespace lore::ingest::pdf
