// Rows of text cut into cells, and the lines of a ruled table's cell put together.
#pragma once

#include <vector>

#include "ingest/pdf/fragments.hpp"

namespace lore::ingest::pdf {

/// A row of one or more cells; a cell has one part for each line of text in it.
struct TableRow {
  std::vector<std::vector<std::vector<const Fragment*>>> cells;  ///< cell, line, fragments
  double x0 = 0, x1 = 0;
  double top = 0, bottom = 0;
  double baseline = 0;       ///< of its first line
  double last_baseline = 0;  ///< of its last line
};

/// Cells are parted by a gap of kCellGap; where drawn lines make the rows of a table, all lines of
/// text between two of them are one row.
std::vector<TableRow> build_table_rows(const Frame& frame, std::vector<Row> rows);

}  // namespace lore::ingest::pdf
