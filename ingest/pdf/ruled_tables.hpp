// Tables that are drawn with lines.
#pragma once

#include <optional>
#include <vector>

#include "ingest/pdf/tables.hpp"

namespace lore::ingest::pdf {

/// Horizontal lines of about the same extent, from top to bottom: three or more.
struct RuledTable {
  double x0 = 0, x1 = 0;
  std::vector<double> lines;
};

/// The space between two neighbouring lines of a table.
struct Band {
  double x0 = 0, x1 = 0, y0 = 0, y1 = 0;
  bool operator==(const Band& other) const {
    return x0 == other.x0 && x1 == other.x1 && y0 == other.y0 && y1 == other.y1;
  }
};

std::vector<RuledTable> find_ruled_tables(const std::vector<Rule>& rules);

/// The band that a row stands in.
std::optional<Band> band_of(const std::vector<RuledTable>& tables, const Row& row);

/// The rows [first, last), which stand in `band`, as rows of its table. Where vertical lines part
/// the columns, all of them are one row; else a row starts where the first column has text, and
/// what follows without it belongs to the cells above. Nothing where the band has no columns.
std::vector<TableRow> band_rows(const std::vector<Rule>& rules, const Band& band,
                                const std::vector<Row>& rows, std::size_t first, std::size_t last);

}  // namespace lore::ingest::pdf
