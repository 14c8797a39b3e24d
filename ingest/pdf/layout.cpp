#include "ingest/pdf/layout.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/utf8.hpp"
#include "ingest/pdf/columns.hpp"
#include "ingest/pdf/fragments.hpp"
#include "ingest/pdf/row_text.hpp"
#include "ingest/pdf/tables.hpp"

namespace lore::ingest::pdf {
namespace {

/// A finished line with what decides where blocks end.
struct Line {
  std::u32string text;
  double x0 = 0, x1 = 0, top = 0, bottom = 0, size = 0;
  double first_word = 0;                   // width of its first word, with a space
  double baseline = 0, last_baseline = 0;  // of its first and its last line of glyphs
  bool bold = false;
  bool row = false;
};

/// The size that most characters of a row have.
double main_size(const std::vector<const Fragment*>& fragments) {
  double best = 0;
  std::size_t best_count = 0;
  for (const Fragment* fragment : fragments) {
    std::size_t count = 0;
    for (const Fragment* other : fragments) {
      if (std::abs(other->size - fragment->size) < 0.05 * fragment->size) {
        count += other->characters;
      }
    }
    if (count > best_count) {
      best_count = count;
      best = fragment->size;
    }
    if (fragments.size() > 100) break;  // the first one will do
  }
  return best;
}

Line line_of(const Frame& frame, const TableRow& row) {
  Line line;
  bool any = false;
  line.bold = true;
  std::vector<const Fragment*> all;
  for (const auto& cell : row.cells) {
    std::u32string text;
    for (const auto& part : cell) {
      const std::u32string piece = text_of(frame, part);
      if (!text.empty() && !piece.empty()) text += U' ';
      text += piece;
      all.insert(all.end(), part.begin(), part.end());
    }
    if (text.empty()) continue;
    if (any) line.text += U'\t';
    line.row = line.row || any;
    line.text += text;
    any = true;
  }
  line.size = main_size(all);
  line.x0 = row.x0;
  line.x1 = row.x1;
  line.top = row.top;
  line.bottom = row.bottom;
  line.baseline = row.baseline;
  line.last_baseline = row.last_baseline;
  for (const Fragment* fragment : all) line.bold = line.bold && fragment->bold;
  if (!line.text.empty()) {
    const auto word = static_cast<double>(std::min(line.text.find(U' '), line.text.size()) + 1);
    line.first_word = word * (line.x1 - line.x0) / static_cast<double>(line.text.size());
  }
  return line;
}

/// The usual distance of two baselines of a region.
double usual_leading(const std::vector<Line>& lines) {
  std::vector<double> leadings;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const double leading = lines[i].baseline - lines[i - 1].last_baseline;
    if (leading > 0.5 * lines[i].size && leading < 3 * lines[i].size) leadings.push_back(leading);
  }
  if (leadings.empty()) return 0;
  const auto middle = leadings.begin() + static_cast<std::ptrdiff_t>((leadings.size() - 1) / 2);
  std::nth_element(leadings.begin(), middle, leadings.end());
  return *middle;
}

bool ends_sentence(const std::u32string& text) {
  if (text.empty()) return true;
  constexpr std::u32string_view kEnds = U".!?:;)\"\u201D\u2019\u3002\uFF01\uFF1F";
  return kEnds.find(text.back()) != std::u32string_view::npos;
}

/// Whether a line starts with the mark of a list item: a bullet, "3.", "b)".
bool starts_item(const std::u32string& text) {
  const std::size_t space = text.find(U' ');
  if (space == std::u32string::npos || space == 0 || space > 4) return false;
  constexpr std::u32string_view kMarks =
      U"\u2022\u2023\u25E6\u2043\u2219\u25AA\u25CF\u25CB\u25A0\u25A1\u2013\u2014-*\u00B7\uFFFD";
  if (space == 1 && kMarks.find(text[0]) != std::u32string_view::npos) return true;
  return text[space - 1] == U'.' || text[space - 1] == U')';
}

/// Decides where a new block starts, line by line.
class BlockBuilder {
 public:
  BlockBuilder(const std::vector<Line>& lines, double page_height, bool upright)
      : lines_(lines), height_(page_height), upright_(upright) {
    leading_ = usual_leading(lines);
    for (const Line& line : lines) right_ = std::max(right_, line.x1);
  }

  void run(std::vector<TextBlock>& blocks) {
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      if (i == 0 || starts_block(i)) {
        blocks.emplace_back();
        block_start_ = i;
        left_ = lines_[i].x0;
      }
      left_ = std::min(left_, lines_[i].x0);
      blocks.back().lines.push_back(record(lines_[i]));
    }
  }

 private:
  bool starts_block(std::size_t i) const {
    const Line& line = lines_[i];
    const Line& before = lines_[i - 1];
    const double larger = std::max(line.size, before.size);
    const double smaller = std::min(line.size, before.size);
    const double step = line.baseline - before.last_baseline;
    if (step < 0) return true;
    const double usual = std::max(leading_, 1.0 * smaller);
    // Rows of a table keep together over the padding of their cells.
    const double most = line.row && before.row ? 2.2 : 1.3;
    if (step > most * usual && step > most * smaller) return true;
    if (line.row && before.row) return false;
    if (line.row) return true;
    if (before.row) return line.x0 - before.x0 < 2 * line.size;  // else the rest of a cell
    if (larger > 1.15 * smaller || line.bold != before.bold) return true;
    // A line ends early where the next word would have had room on it.
    const bool ended =
        before.x1 + line.first_word < right_ - before.size || ends_sentence(before.text);
    if (!ended) return false;
    const double indent = line.x0 - before.x0;
    const bool at_margin = before.x0 - left_ < 0.3 * line.size;
    if (indent > 0.9 * line.size && indent < 6 * line.size && at_margin) {
      return !starts_item(before.text);  // else the rest of a list item
    }
    const bool outdent = indent < -0.9 * line.size && i - block_start_ >= 2;
    return outdent && !starts_item(line.text);
  }

  TextLine record(const Line& line) const {
    TextLine out;
    out.text = utf8::encode({line.text.begin(), line.text.end()});
    out.size = static_cast<float>(line.size);
    out.bold = line.bold;
    out.row = line.row;
    const auto share = [](double value, double whole) {
      return whole > 0 ? static_cast<float>(std::clamp(value / whole, 0.0, 1.0)) : 0.5f;
    };
    // Only upright text has a place at an edge of the page.
    out.top = upright_ ? share(line.top, height_) : 0.5f;
    out.bottom = upright_ ? share(line.bottom, height_) : 0.5f;
    return out;
  }

  const std::vector<Line>& lines_;
  double height_;
  bool upright_;
  double leading_ = 0;
  double right_ = -1e30;
  double left_ = 0;
  std::size_t block_start_ = 0;
};

}  // namespace

std::vector<TextBlock> lay_out(const PageContent& page) {
  std::vector<TextBlock> blocks;
  for (const Frame& frame : build_frames(page)) {
    for (auto& region : reading_regions(frame)) {
      std::vector<Line> lines;
      for (const TableRow& row : build_table_rows(frame, build_rows(std::move(region)))) {
        Line line = line_of(frame, row);
        if (!line.text.empty()) lines.push_back(std::move(line));
      }
      const bool upright = frame.direction == 0 && !frame.vertical;
      BlockBuilder(lines, page.height, upright).run(blocks);
    }
  }
  return blocks;
}

}  // namespace lore::ingest::pdf
