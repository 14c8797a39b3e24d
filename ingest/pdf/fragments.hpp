// The pieces that the layout works with: runs of glyphs, and rows of them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ingest/pdf/page_content.hpp"

namespace lore::ingest::pdf {

/// Gaps, in ems of the text beside them.
inline constexpr double kWordGap = 0.17;     ///< from here on a gap is a space
inline constexpr double kFragmentGap = 0.5;  ///< from here on two runs are laid out apart
inline constexpr double kCellGap = 1.2;      ///< from here on two runs of a row are two cells

/// One shown glyph in the frame of its direction: x along the line, y downwards.
struct Item {
  double x0 = 0, x1 = 0;
  std::u32string_view text;
  bool space = false;
};

/// Glyphs that follow each other on one baseline without a wide gap.
struct Fragment {
  double x0 = 0, x1 = 0;
  double baseline = 0, size = 0;
  double top = 0, bottom = 0;
  std::size_t first_item = 0, last_item = 0;  ///< [first, last) of Frame::items
  std::size_t characters = 0;
  bool bold = false;
};

/// The glyphs of one direction of writing.
struct Frame {
  int direction = 0;  ///< degrees; the frame is turned back by it
  bool vertical = false;
  std::vector<Item> items;
  std::vector<Fragment> fragments;
  std::vector<Rule> rules;  ///< only of upright text
};

/// Sorts a page's glyphs into frames, upright text first, and cuts fragments. A glyph that is
/// drawn again on the same place (a cheap bold) counts once.
std::vector<Frame> build_frames(const PageContent& page);

/// Fragments that stand on one line, by x.
struct Row {
  std::vector<const Fragment*> fragments;
  double x0 = 0, x1 = 0;
  double top = 0, bottom = 0, baseline = 0, size = 0;
};

/// Rows from top to bottom.
std::vector<Row> build_rows(std::vector<const Fragment*> fragments);

}  // namespace lore::ingest::pdf
