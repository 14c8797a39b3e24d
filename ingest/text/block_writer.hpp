// Text put together from blocks, as a browser lays out HTML.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/ingest.hpp"

namespace lore::ingest {

/// Collects inline text, collapses white space, and parts blocks by line ends that are written only
/// when text follows. Knows where headings start, in code points. Thread safety: one thread.
class BlockWriter {
 public:
  /// Inline text, valid UTF-8. In preformatted text white space is kept as it is.
  void text(std::string_view text, bool preformatted);

  /// What follows starts a line of its own (1) or stands after an empty line (2). Inside a table
  /// cell it is a space: a row is one line.
  void break_lines(int lines);

  /// A <br>: a line end, and an empty line where two follow each other.
  void line_break();

  void start_item(std::string marker);  ///< the line that comes next starts with the marker
  void start_row();
  void start_cell();
  void end_row();

  void start_heading(int level);
  void end_heading();

  std::string take_text() { return std::move(text_); }
  std::vector<Heading> take_headings() { return std::move(headings_); }

 private:
  void write(char32_t c);
  void write_pending();
  void append(char32_t c);

  std::string text_;
  std::size_t position_ = 0;    // code points written
  std::size_t line_start_ = 0;  // where the line in hand starts
  int pending_lines_ = 0;
  bool pending_space_ = false;
  std::size_t pending_tabs_ = 0;
  std::string pending_marker_;
  std::size_t cells_ = 0;  // of the row in hand
  bool inside_row_ = false;
  int heading_level_ = 0;  // of the heading in hand, or 0
  std::string heading_title_;
  std::size_t heading_start_ = 0;
  std::vector<Heading> headings_;
};

}  // namespace lore::ingest
