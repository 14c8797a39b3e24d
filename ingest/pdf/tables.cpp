#include "ingest/pdf/tables.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

namespace lore::ingest::pdf {
namespace {

constexpr std::size_t kMaxLinesOfRow = 14;  // a ruled row of more lines is a box around text
constexpr double kWideGap = 2.5;            // ems; never inside a sentence
constexpr std::size_t kMaxBands = 400;
constexpr std::size_t kLookAhead = 60;  // lines of other tables that may lie in between

/// The space between two drawn lines of a table.
struct Band {
  double x0, x1, y0, y1;
};

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

/// Bands of ruled tables: neighbours among lines of about the same extent.
std::vector<Band> find_bands(const Frame& frame) {
  std::vector<Rule> rules;
  for (const Rule& rule : frame.rules) {
    if (rule.horizontal()) rules.push_back(rule);
  }
  if (rules.size() < 3 || rules.size() > 5'000) return {};
  std::sort(rules.begin(), rules.end(),
            [](const Rule& a, const Rule& b) { return a.y0 != b.y0 ? a.y0 < b.y0 : a.x0 < b.x0; });
  // Cells are often outlined one by one: pieces of one height that touch are one line.
  std::vector<Rule> lines;
  for (const Rule& rule : rules) {
    Rule* last = lines.empty() ? nullptr : &lines.back();
    if (last != nullptr && std::abs(last->y0 - rule.y0) < 2 && rule.x0 <= last->x1 + 3 &&
        rule.x1 >= last->x0 - 3) {
      last->x0 = std::min(last->x0, rule.x0);
      last->x1 = std::max(last->x1, rule.x1);
    } else {
      lines.push_back(rule);
    }
  }
  std::vector<Band> bands;
  for (std::size_t i = 0; i < lines.size() && bands.size() < kMaxBands; ++i) {
    for (std::size_t k = i + 1; k < std::min(lines.size(), i + kLookAhead); ++k) {
      const double gap = lines[k].y0 - lines[i].y0;
      const bool same =
          std::abs(lines[k].x0 - lines[i].x0) < 8 && std::abs(lines[k].x1 - lines[i].x1) < 8;
      if (!same || gap < 4) continue;
      bands.push_back({lines[i].x0, lines[i].x1, lines[i].y0, lines[k].y0});
      break;
    }
  }
  return bands.size() >= 2 ? bands : std::vector<Band>{};
}

/// Column borders of the rows [first, last) of a band: drawn lines, else white space.
std::vector<double> column_borders(const Frame& frame, const Band& band,
                                   const std::vector<Row>& rows, std::size_t first,
                                   std::size_t last) {
  std::vector<double> borders;
  for (const Rule& rule : frame.rules) {
    const bool inside = !rule.horizontal() && rule.x0 > band.x0 + 3 && rule.x0 < band.x1 - 3 &&
                        rule.y0 < band.y0 + 3 && rule.y1 > band.y1 - 3;
    if (inside) borders.push_back(rule.x0);
  }
  std::sort(borders.begin(), borders.end());
  borders.erase(
      std::unique(borders.begin(), borders.end(), [](double a, double b) { return b - a < 3; }),
      borders.end());
  if (!borders.empty()) return borders;
  std::vector<const Fragment*> all;
  for (std::size_t r = first; r < last; ++r) {
    all.insert(all.end(), rows[r].fragments.begin(), rows[r].fragments.end());
  }
  std::sort(all.begin(), all.end(),
            [](const Fragment* a, const Fragment* b) { return a->x0 < b->x0; });
  double end = all.empty() ? 0 : all[0]->x1;
  for (const Fragment* fragment : all) {
    if (fragment->x0 - end >= 0.8 * fragment->size) borders.push_back((end + fragment->x0) / 2);
    end = std::max(end, fragment->x1);
  }
  return borders;
}

std::optional<TableRow> band_row(const Frame& frame, const Band& band, const std::vector<Row>& rows,
                                 std::size_t first, std::size_t last) {
  const std::vector<double> borders = column_borders(frame, band, rows, first, last);
  if (borders.empty()) return std::nullopt;
  TableRow out;
  out.cells.resize(borders.size() + 1);
  out.x0 = rows[first].x0;
  out.x1 = rows[first].x1;
  out.top = rows[first].top;
  out.bottom = rows[last - 1].bottom;
  out.baseline = rows[first].baseline;
  out.last_baseline = rows[last - 1].baseline;
  for (std::size_t r = first; r < last; ++r) {
    out.x0 = std::min(out.x0, rows[r].x0);
    out.x1 = std::max(out.x1, rows[r].x1);
    std::vector<std::vector<const Fragment*>> parts(out.cells.size());
    for (const Fragment* fragment : rows[r].fragments) {
      const double middle = (fragment->x0 + fragment->x1) / 2;
      const auto column = std::upper_bound(borders.begin(), borders.end(), middle);
      parts[static_cast<std::size_t>(column - borders.begin())].push_back(fragment);
    }
    for (std::size_t c = 0; c < parts.size(); ++c) {
      if (!parts[c].empty()) out.cells[c].push_back(std::move(parts[c]));
    }
  }
  return out;
}

const Band* band_of(const std::vector<Band>& bands, const Row& row) {
  const double middle = (row.top + row.bottom) / 2;
  for (const Band& band : bands) {
    if (middle > band.y0 && middle < band.y1 && row.x0 > band.x0 - 4 && row.x1 < band.x1 + 4) {
      return &band;
    }
  }
  return nullptr;
}

}  // namespace

std::vector<TableRow> build_table_rows(const Frame& frame, std::vector<Row> rows) {
  const std::vector<Band> bands = find_bands(frame);
  std::vector<TableRow> out;
  for (std::size_t first = 0; first < rows.size();) {
    std::size_t last = first + 1;
    const Band* band = bands.empty() ? nullptr : band_of(bands, rows[first]);
    while (band != nullptr && last < rows.size() && band_of(bands, rows[last]) == band) ++last;
    const bool ruled = band != nullptr && last - first <= kMaxLinesOfRow;
    std::optional<TableRow> row;
    if (ruled) row = band_row(frame, *band, rows, first, last);
    if (row) {
      out.push_back(std::move(*row));
    } else {
      for (std::size_t r = first; r < last; ++r) out.push_back(plain_row(frame, rows, r));
    }
    first = last;
  }
  return out;
}

}  // namespace lore::ingest::pdf
