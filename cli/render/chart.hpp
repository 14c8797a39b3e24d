// Line charts as SVG.
#pragma once

#include <string>
#include <vector>

namespace lore::cli {

struct ChartPoint {
  double x = 0;
  double y = 0;
};

struct ChartLine {
  std::string name;
  std::vector<ChartPoint> points;  ///< by rising x
  bool dashed = false;             ///< a bound rather than a measurement: no marks at its points
};

/// One pair of axes; both begin at 0.
struct ChartPanel {
  std::string title;
  std::string x_label;
  std::string y_label;
  std::vector<ChartLine> lines;  ///< as many as there are colours: four
};

/// Panels, one below the other.
struct Chart {
  std::string title;
  std::string subtitle;
  std::vector<ChartPanel> panels;
};

/// A whole SVG file: light background of its own, the reader's own sans-serif font.
std::string render_chart(const Chart& chart);

/// The numbers of an axis from 0 to the first of them that is not below `most`: 4 to 8 steps of 1,
/// 2, 2.5 or 5 times a power of ten.
std::vector<double> axis_ticks(double most);

}  // namespace lore::cli
