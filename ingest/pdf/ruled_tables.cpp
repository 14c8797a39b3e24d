#include "ingest/pdf/ruled_tables.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace lore::ingest::pdf {
namespace {

constexpr std::size_t kMaxRules = 5'000;
constexpr std::size_t kMaxTables = 100;
constexpr std::size_t kMaxLinesOfRow = 14;  // a box with more lines is a frame around text
constexpr double kSameExtent = 8;           // points

/// Horizontal lines from top to bottom; pieces of one height that touch are one line.
std::vector<Rule> joined_lines(const std::vector<Rule>& rules) {
  std::vector<Rule> pieces;
  for (const Rule& rule : rules) {
    if (rule.horizontal()) pieces.push_back(rule);
  }
  if (pieces.size() > kMaxRules) return {};
  std::sort(pieces.begin(), pieces.end(),
            [](const Rule& a, const Rule& b) { return a.y0 != b.y0 ? a.y0 < b.y0 : a.x0 < b.x0; });
  std::vector<Rule> lines;
  for (const Rule& piece : pieces) {
    Rule* last = lines.empty() ? nullptr : &lines.back();
    if (last != nullptr && std::abs(last->y0 - piece.y0) < 2 && piece.x0 <= last->x1 + 3 &&
        piece.x1 >= last->x0 - 3) {
      last->x0 = std::min(last->x0, piece.x0);
      last->x1 = std::max(last->x1, piece.x1);
    } else {
      lines.push_back(piece);
    }
  }
  return lines;
}

/// Columns of the fragments of one row.
using Parts = std::vector<std::vector<const Fragment*>>;

Parts parts_of(const Row& row, const std::vector<double>& borders) {
  Parts parts(borders.size() + 1);
  for (const Fragment* fragment : row.fragments) {
    const double middle = (fragment->x0 + fragment->x1) / 2;
    const auto column = std::upper_bound(borders.begin(), borders.end(), middle);
    parts[static_cast<std::size_t>(column - borders.begin())].push_back(fragment);
  }
  return parts;
}

std::size_t filled(const Parts& parts) {
  return static_cast<std::size_t>(
      std::count_if(parts.begin(), parts.end(), [](const auto& part) { return !part.empty(); }));
}

std::vector<double> drawn_borders(const std::vector<Rule>& rules, const Band& band) {
  std::vector<double> borders;
  for (const Rule& rule : rules) {
    const bool inside = !rule.horizontal() && rule.x0 > band.x0 + 3 && rule.x0 < band.x1 - 3 &&
                        rule.y0 < band.y0 + 3 && rule.y1 > band.y1 - 3;
    if (inside) borders.push_back(rule.x0);
  }
  std::sort(borders.begin(), borders.end());
  const auto close = [](double a, double b) { return b - a < 3; };
  borders.erase(std::unique(borders.begin(), borders.end(), close), borders.end());
  return borders;
}

/// Middles of the white strips that no fragment of the rows reaches into.
std::vector<double> white_borders(const std::vector<Row>& rows, std::size_t first,
                                  std::size_t last) {
  constexpr double kStrip = 0.8;  // ems
  std::vector<const Fragment*> all;
  for (std::size_t r = first; r < last; ++r) {
    all.insert(all.end(), rows[r].fragments.begin(), rows[r].fragments.end());
  }
  std::sort(all.begin(), all.end(),
            [](const Fragment* a, const Fragment* b) { return a->x0 < b->x0; });
  std::vector<double> borders;
  double end = all.empty() ? 0 : all[0]->x1;
  for (const Fragment* fragment : all) {
    if (fragment->x0 - end >= kStrip * fragment->size) borders.push_back((end + fragment->x0) / 2);
    end = std::max(end, fragment->x1);
  }
  return borders;
}

void append_row(TableRow& out, const Row& row, Parts parts) {
  if (out.cells.empty()) {
    out.cells.resize(parts.size());
    out.x0 = row.x0;
    out.x1 = row.x1;
    out.top = row.top;
    out.baseline = row.baseline;
  }
  out.x0 = std::min(out.x0, row.x0);
  out.x1 = std::max(out.x1, row.x1);
  out.bottom = row.bottom;
  out.last_baseline = row.baseline;
  for (std::size_t c = 0; c < parts.size(); ++c) {
    if (!parts[c].empty()) out.cells[c].push_back(std::move(parts[c]));
  }
}

}  // namespace

std::vector<RuledTable> find_ruled_tables(const std::vector<Rule>& rules) {
  const std::vector<Rule> lines = joined_lines(rules);
  std::vector<RuledTable> tables;
  for (const Rule& line : lines) {
    RuledTable* own = nullptr;
    for (RuledTable& table : tables) {
      if (std::abs(table.x0 - line.x0) < kSameExtent &&
          std::abs(table.x1 - line.x1) < kSameExtent) {
        own = &table;
      }
    }
    if (own == nullptr) {
      if (tables.size() >= kMaxTables) break;
      tables.push_back({line.x0, line.x1, {}});
      own = &tables.back();
    }
    // Double lines and the two edges of a filled one count once.
    if (own->lines.empty() || line.y0 - own->lines.back() >= 4) own->lines.push_back(line.y0);
  }
  tables.erase(std::remove_if(tables.begin(), tables.end(),
                              [](const RuledTable& table) { return table.lines.size() < 3; }),
               tables.end());
  return tables;
}

std::optional<Band> band_of(const std::vector<RuledTable>& tables, const Row& row) {
  const double middle = (row.top + row.bottom) / 2;
  for (const RuledTable& table : tables) {
    if (row.x0 < table.x0 - 4 || row.x1 > table.x1 + 4) continue;
    const auto below = std::upper_bound(table.lines.begin(), table.lines.end(), middle);
    if (below == table.lines.begin() || below == table.lines.end()) continue;
    return Band{table.x0, table.x1, *std::prev(below), *below};
  }
  return std::nullopt;
}

std::vector<TableRow> band_rows(const std::vector<Rule>& rules, const Band& band,
                                const std::vector<Row>& rows, std::size_t first, std::size_t last) {
  std::vector<double> borders = drawn_borders(rules, band);
  const bool drawn = !borders.empty() && last - first <= kMaxLinesOfRow;
  if (!drawn) borders = white_borders(rows, first, last);
  if (borders.empty()) return {};
  std::vector<TableRow> out;
  for (std::size_t r = first; r < last; ++r) {
    Parts parts = parts_of(rows[r], borders);
    const std::size_t count = filled(parts);
    // A row that fills all columns but the first is one of a group, not the rest of a cell.
    const bool starts =
        !drawn && (!parts[0].empty() || (parts.size() > 2 && count + 1 == parts.size()));
    if (out.empty() || starts) out.emplace_back();
    append_row(out.back(), rows[r], std::move(parts));
  }
  return out;
}

}  // namespace lore::ingest::pdf
