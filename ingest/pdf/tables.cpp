#include "ingest/pdf/tables.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ingest/pdf/ruled_tables.hpp"

namespace lore::ingest::pdf {
namespace {

constexpr double kWideGap = 2.5;  // ems; never inside a sentence

bool is_bullet(const Frame& frame, const std::vector<const Fragment*>& cell) {
  std::u32string text;
  for (const Fragment* fragment : cell) {
    for (std::size_t i = fragment->first_item; i < fragment->last_item && text.size() < 8; ++i) {
      text += frame.items[i].text;
    }
  }
  if (text.empty() || text.size() > 5) return false;
  constexpr std::u32string_view kBullets =
      U"\u2022\u2023\u25E6\u2043\u2219\u25AA\u25CF\u25CB\u25A0\u25A1\u2013\u2014-*"
      U"\u00B7\uFFFD\u2713"
      U"\u2714\u27A2\u25BA";
  if (text.size() == 1 && kBullets.find(text[0]) != std::u32string_view::npos) return true;
  const bool counted = text.back() == U'.' || text.back() == U')';
  return counted && text.find_first_of(U"0123456789abcdefivxABCDEFIVX") != std::u32string::npos;
}

/// Whether a row leaves a gap of almost an em somewhere in [from, to].
bool has_gap(const Row& row, double from, double to) {
  double end = row.x0;
  for (const Fragment* fragment : row.fragments) {
    if (std::min(fragment->x0, to) - std::max(end, from) >= 0.9 * row.size) return true;
    end = std::max(end, fragment->x1);
  }
  return false;
}

/// Whether the gap [from, to] of rows[index] parts two cells. A loose line of justified text has
/// such gaps, too, but not one below the other.
bool parts_cells(const std::vector<Row>& rows, std::size_t index, double from, double to,
                 double em) {
  if (to - from < kCellGap * em) return false;
  if (to - from >= kWideGap * em) return true;
  return (index > 0 && has_gap(rows[index - 1], from, to)) ||
         (index + 1 < rows.size() && has_gap(rows[index + 1], from, to));
}

TableRow plain_row(const Frame& frame, const std::vector<Row>& rows, std::size_t index) {
  const Row& row = rows[index];
  TableRow out;
  out.x0 = row.x0;
  out.x1 = row.x1;
  out.top = row.top;
  out.bottom = row.bottom;
  out.baseline = out.last_baseline = row.baseline;
  std::vector<const Fragment*> cell;
  double end = 0;
  for (const Fragment* fragment : row.fragments) {
    const double em = std::max(std::min(fragment->size, row.size), 0.5 * row.size);
    const bool apart = !cell.empty() && parts_cells(rows, index, end, fragment->x0, em);
    if (apart && !(out.cells.empty() && is_bullet(frame, cell))) {
      out.cells.push_back({std::move(cell)});
      cell.clear();
    }
    end = cell.empty() ? fragment->x1 : std::max(end, fragment->x1);
    cell.push_back(fragment);
  }
  out.cells.push_back({std::move(cell)});
  return out;
}

/// Where a cell's text starts.
double left_of(const std::vector<std::vector<const Fragment*>>& cell) {
  double left = 1e30;
  for (const auto& part : cell) {
    for (const Fragment* fragment : part) left = std::min(left, fragment->x0);
  }
  return left;
}

/// Adds a row of one cell to the row above it where it goes on below one of its later cells.
bool continues_cell(TableRow& above, TableRow& row, double size) {
  if (row.cells.size() != 1 || above.cells.size() < 2) return false;
  if (row.baseline - above.last_baseline > 1.35 * size) return false;
  for (std::size_t c = above.cells.size(); c-- > 1;) {
    if (std::abs(left_of(above.cells[c]) - row.x0) > 0.4 * size) continue;
    above.cells[c].push_back(std::move(row.cells[0][0]));
    above.bottom = row.bottom;
    above.last_baseline = row.last_baseline;
    return true;
  }
  return false;
}

}  // namespace

std::vector<TableRow> build_table_rows(const Frame& frame, std::vector<Row> rows) {
  const std::vector<RuledTable> tables = find_ruled_tables(frame.rules);
  std::vector<TableRow> out;
  for (std::size_t first = 0; first < rows.size();) {
    std::size_t last = first + 1;
    if (const auto band = band_of(tables, rows[first])) {
      while (last < rows.size() && band_of(tables, rows[last]) == band) ++last;
      std::vector<TableRow> ruled = band_rows(frame.rules, *band, rows, first, last);
      if (!ruled.empty()) {
        for (TableRow& row : ruled) out.push_back(std::move(row));
        first = last;
        continue;
      }
    }
    for (std::size_t r = first; r < last; ++r) {
      TableRow row = plain_row(frame, rows, r);
      if (out.empty() || !continues_cell(out.back(), row, rows[r].size)) {
        out.push_back(std::move(row));
      }
    }
    first = last;
  }
  return out;
}

}  // namespace lore::ingest::pdf
