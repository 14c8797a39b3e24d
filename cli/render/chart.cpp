#include "cli/render/chart.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "base/utf8.hpp"
#include "cli/render/style.hpp"

namespace lore::cli {
namespace {

// In units of the drawing; one is a pixel at natural size.
constexpr double kWidth = 720;
constexpr double kHead = 62;  // title and subtitle
constexpr double kPanelHeight = 280;
constexpr double kLeft = 76;  // of the axes in a panel
constexpr double kRight = 24;
constexpr double kTop = 44;
constexpr double kBottom = 52;
constexpr double kLegendStep = 180;
constexpr double kSteps = 5;  // of an axis, about

// Dark enough on white for every line and letter to be told apart, in grey too.
constexpr std::array<std::string_view, 4> kColors = {"#1f5fa8", "#b3441c", "#2f7d4f", "#6d4a9c"};
constexpr std::string_view kInk = "#222222";
constexpr std::string_view kGrid = "#d9d9d9";

/// Text as XML holds it; what XML cannot hold becomes a space or U+FFFD.
std::string escaped(std::string_view text) {
  std::string result;
  for (std::size_t offset = 0; offset < text.size();) {
    const char32_t c = utf8::next(text, offset);
    if (c == U'&') {
      result += "&amp;";
    } else if (c == U'<') {
      result += "&lt;";
    } else if (c == U'>') {
      result += "&gt;";
    } else {
      const bool control = c < 0x20 || c == 0xFFFE || c == 0xFFFF;
      utf8::append(result, control ? U' ' : c);
    }
  }
  return result;
}

std::string number(double value) { return fixed(value, 1); }

/// "2,048"; with the digits after the point that `step` needs.
std::string tick_label(double value, double step) {
  if (step >= 1 && std::floor(step) == step) {
    return human_count(static_cast<std::uint64_t>(std::llround(value)));
  }
  const int digits = std::max(1, static_cast<int>(std::ceil(-std::log10(step) + 0.3)));
  return fixed(value, digits);
}

class Drawing {
 public:
  void text(double x, double y, std::string_view anchor, std::string_view content,
            std::string_view more = "") {
    svg_ += "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" text-anchor=\"" +
            std::string(anchor) + "\"" + std::string(more) + ">" + escaped(content) + "</text>\n";
  }
  void line(double x1, double y1, double x2, double y2, std::string_view color,
            std::string_view more = "") {
    svg_ += "<line x1=\"" + number(x1) + "\" y1=\"" + number(y1) + "\" x2=\"" + number(x2) +
            "\" y2=\"" + number(y2) + "\" stroke=\"" + std::string(color) + "\"" +
            std::string(more) + "/>\n";
  }
  void polyline(const std::vector<ChartPoint>& points, std::string_view color,
                std::string_view more) {
    svg_ += "<polyline fill=\"none\" stroke=\"" + std::string(color) + "\"" + std::string(more) +
            " points=\"";
    for (std::size_t i = 0; i < points.size(); ++i) {
      svg_ += (i == 0 ? "" : " ") + number(points[i].x) + "," + number(points[i].y);
    }
    svg_ += "\"/>\n";
  }
  /// A mark that a reader's pointer is told the value of.
  void mark(const ChartPoint& at, std::string_view color, std::string_view tip) {
    svg_ += "<circle cx=\"" + number(at.x) + "\" cy=\"" + number(at.y) + "\" r=\"3.5\" fill=\"" +
            std::string(color) + "\"><title>" + escaped(tip) + "</title></circle>\n";
  }

  const std::string& svg() const { return svg_; }

 private:
  std::string svg_;
};

constexpr std::string_view kStroke = " stroke-width=\"2\"";
constexpr std::string_view kDashedStroke = " stroke-width=\"2\" stroke-dasharray=\"7 5\"";

std::string_view color_of(std::size_t line) { return kColors[line % kColors.size()]; }

/// A panel whose upper edge is at `top`.
class PanelDrawing {
 public:
  PanelDrawing(Drawing& drawing, const ChartPanel& panel, double top)
      : drawing_(drawing), panel_(panel), top_(top) {
    double most_x = 0;
    double most_y = 0;
    for (const ChartLine& line : panel.lines) {
      for (const ChartPoint& point : line.points) {
        most_x = std::max(most_x, point.x);
        most_y = std::max(most_y, point.y);
      }
    }
    x_ticks_ = axis_ticks(most_x);
    y_ticks_ = axis_ticks(most_y);
  }

  void draw() {
    drawing_.text(kLeft, top_ + 16, "start", panel_.title, " font-weight=\"bold\"");
    draw_axes();
    for (std::size_t i = 0; i < panel_.lines.size(); ++i) draw_line(i);
    draw_legend();
  }

 private:
  double x_at(double x) const { return kLeft + x / x_ticks_.back() * (kWidth - kLeft - kRight); }
  double y_at(double y) const { return bottom() - y / y_ticks_.back() * (bottom() - top_ - kTop); }
  double bottom() const { return top_ + kPanelHeight - kBottom; }

  void draw_axes() {
    for (const double tick : y_ticks_) {
      const double y = y_at(tick);
      drawing_.line(kLeft, y, kWidth - kRight, y, tick == 0 ? kInk : kGrid);
      drawing_.text(kLeft - 8, y + 4, "end", tick_label(tick, y_ticks_[1]));
    }
    for (const double tick : x_ticks_) {
      const double x = x_at(tick);
      drawing_.line(x, bottom(), x, bottom() + 5, kInk);
      drawing_.text(x, bottom() + 19, "middle", tick_label(tick, x_ticks_[1]));
    }
    drawing_.line(kLeft, top_ + kTop, kLeft, bottom(), kInk);
    drawing_.text((kLeft + kWidth - kRight) / 2, bottom() + 38, "middle", panel_.x_label);
    const double middle = (top_ + kTop + bottom()) / 2;
    drawing_.text(18, middle, "middle", panel_.y_label,
                  " transform=\"rotate(-90 18 " + number(middle) + ")\"");
  }

  void draw_line(std::size_t index) {
    const ChartLine& line = panel_.lines[index];
    std::vector<ChartPoint> places;
    for (const ChartPoint& point : line.points) places.push_back({x_at(point.x), y_at(point.y)});
    drawing_.polyline(places, color_of(index), line.dashed ? kDashedStroke : kStroke);
    if (line.dashed) return;
    for (std::size_t i = 0; i < places.size(); ++i) {
      const ChartPoint& point = line.points[i];
      drawing_.mark(places[i], color_of(index),
                    fixed(point.x, 0) + ": " + fixed(point.y, 1) + " " + panel_.y_label);
    }
  }

  void draw_legend() {
    const double y = top_ + 12;
    double x = kWidth - kRight - kLegendStep * static_cast<double>(panel_.lines.size());
    for (std::size_t i = 0; i < panel_.lines.size(); ++i, x += kLegendStep) {
      drawing_.line(x, y, x + 28, y, color_of(i), panel_.lines[i].dashed ? kDashedStroke : kStroke);
      drawing_.text(x + 36, y + 4, "start", panel_.lines[i].name);
    }
  }

  Drawing& drawing_;
  const ChartPanel& panel_;
  double top_;
  std::vector<double> x_ticks_;
  std::vector<double> y_ticks_;
};

}  // namespace

std::vector<double> axis_ticks(double most) {
  if (!(most > 0) || !std::isfinite(most)) most = 1;
  const double power = std::pow(10, std::floor(std::log10(most / kSteps)));
  double step = power * 10;
  for (const double nice : {1.0, 2.0, 2.5, 5.0}) {
    if (nice * power * kSteps >= most) {
      step = nice * power;
      break;
    }
  }
  std::vector<double> ticks = {0};
  while (ticks.back() < most * (1 - 1e-9)) {
    ticks.push_back(static_cast<double>(ticks.size()) * step);
  }
  return ticks;
}

std::string render_chart(const Chart& chart) {
  const double height = kHead + kPanelHeight * static_cast<double>(chart.panels.size());
  Drawing drawing;
  drawing.text(kWidth / 2, 28, "middle", chart.title, " font-size=\"18\" font-weight=\"bold\"");
  drawing.text(kWidth / 2, 48, "middle", chart.subtitle);
  for (std::size_t i = 0; i < chart.panels.size(); ++i) {
    PanelDrawing(drawing, chart.panels[i], kHead + kPanelHeight * static_cast<double>(i)).draw();
  }
  const std::string size = number(kWidth) + "\" height=\"" + number(height);
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
         "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" +
         size + "\" viewBox=\"0 0 " + number(kWidth) + " " + number(height) +
         "\" font-family=\"sans-serif\" font-size=\"13\" fill=\"" + std::string(kInk) +
         "\">\n<rect width=\"" + size + "\" fill=\"#ffffff\"/>\n" + drawing.svg() + "</svg>\n";
}

}  // namespace lore::cli
