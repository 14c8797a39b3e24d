// What one page of a PDF comes to before the document is put together: plain data that travels
// from the worker process to its parent.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ingest/ingest.hpp"

namespace lore::ingest::pdf {

/// One line of text, or one row of a table with its cells parted by tabs.
struct TextLine {
  std::string text;  ///< UTF-8, no line ends, never U+000C
  float size = 0;    ///< of most of its characters, in points
  float top = 0;     ///< place on the page: 0 is the upper edge, 1 the lower one
  float bottom = 0;
  bool bold = false;
  bool row = false;  ///< of a table
};

/// Lines that belong together: a paragraph, a heading, a table.
struct TextBlock {
  std::vector<TextLine> lines;
};

struct PageRecord {
  std::string label;
  PageState state = PageState::empty;
  std::string note;
  std::size_t unmapped_glyphs = 0;
  std::vector<TextBlock> blocks;  ///< in reading order
};

struct OutlineEntry {
  int level = 1;         ///< 1 is the highest
  std::string title;     ///< UTF-8
  std::size_t page = 0;  ///< index from 0
};

/// What is known once a document is open.
struct DocumentInfo {
  std::string title;           ///< "" where it tells none
  std::size_t page_count = 0;  ///< pages found by walking the tree
  std::vector<OutlineEntry> outline;
  std::vector<std::string> problems;
};

}  // namespace lore::ingest::pdf
