#include "ingest/text/block_writer.hpp"

#include <algorithm>
#include <utility>

#include "base/utf8.hpp"

namespace lore::ingest {
namespace {

bool is_collapsible(char32_t c) { return c == U' ' || (c >= 0x09 && c <= 0x0D) || c == 0xA0; }

// Seen by no reader, but in the way of a search.
bool is_invisible(char32_t c) { return c == 0xAD || c == 0x200B || c == 0xFEFF || c == 0; }

}  // namespace

void BlockWriter::append(char32_t c) {
  utf8::append(text_, c);
  ++position_;
  if (c == U'\n') line_start_ = position_;
}

void BlockWriter::write_pending() {
  if (pending_lines_ > 0 && position_ > 0) {
    for (int i = 0; i < pending_lines_; ++i) append(U'\n');
    pending_space_ = false;
  }
  pending_lines_ = 0;
  if (!pending_marker_.empty()) {
    for (const char32_t c : utf8::decode(std::exchange(pending_marker_, {}))) append(c);
    pending_space_ = false;
  }
  if (pending_tabs_ > 0) pending_space_ = false;
  for (; pending_tabs_ > 0; --pending_tabs_) append(U'\t');
  if (pending_space_ && position_ > line_start_ && text_.back() != '\t') {
    append(U' ');
    if (!heading_title_.empty()) heading_title_ += ' ';
  }
  pending_space_ = false;
}

void BlockWriter::write(char32_t c) {
  write_pending();
  if (heading_level_ > 0) {
    if (heading_title_.empty()) heading_start_ = line_start_;
    utf8::append(heading_title_, c);
  }
  append(c);
}

void BlockWriter::text(std::string_view text, bool preformatted) {
  for (std::size_t i = 0; i < text.size();) {
    const char32_t c = utf8::next(text, i);
    if (is_invisible(c) || c == U'\r') continue;
    if (preformatted && c == U'\n' && !inside_row_) {
      // Counted, not written: a block ends without the empty lines at its end.
      ++pending_lines_;
      pending_space_ = false;
    } else if (preformatted && is_collapsible(c) && !inside_row_) {
      write_pending();
      append(c == U'\t' ? U'\t' : U' ');
    } else if (is_collapsible(c)) {
      pending_space_ = true;
    } else {
      write(c);
    }
  }
}

void BlockWriter::break_lines(int lines) {
  if (inside_row_) {
    pending_space_ = true;
  } else {
    pending_lines_ = std::max(pending_lines_, lines);
  }
}

void BlockWriter::line_break() {
  if (inside_row_ || heading_level_ > 0) {
    pending_space_ = true;
  } else {
    pending_lines_ = std::min(pending_lines_ + 1, 2);
  }
}

void BlockWriter::start_item(std::string marker) {
  break_lines(1);
  if (!inside_row_) pending_marker_ = std::move(marker);
}

void BlockWriter::start_row() {
  break_lines(1);
  inside_row_ = true;
  cells_ = 0;
}

void BlockWriter::start_cell() {
  if (cells_++ > 0) ++pending_tabs_;
}

void BlockWriter::end_row() {
  inside_row_ = false;
  pending_tabs_ = 0;
  break_lines(1);
}

void BlockWriter::start_heading(int level) {
  break_lines(2);
  if (heading_level_ > 0) end_heading();
  heading_level_ = level;
  heading_title_.clear();
}

void BlockWriter::end_heading() {
  if (heading_level_ > 0 && !heading_title_.empty()) {
    const bool same_line = !headings_.empty() && headings_.back().start == heading_start_;
    if (!same_line) headings_.push_back({heading_level_, heading_title_, heading_start_});
  }
  heading_level_ = 0;
  break_lines(2);
}

}  // namespace lore::ingest
