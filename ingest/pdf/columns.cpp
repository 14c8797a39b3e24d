#include "ingest/pdf/columns.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

namespace lore::ingest::pdf {
namespace {

using Fragments = std::vector<const Fragment*>;

constexpr int kMaxDepth = 24;
constexpr std::size_t kMaxFragments = 20'000;  // a page of more is read from top to bottom
constexpr std::size_t kMaxCandidates = 24;
constexpr std::size_t kMinLines = 3;  // on each side of a gutter

struct Gutter {
  double x = 0;
  std::size_t first_row = 0, last_row = 0;  // [first, last]
  std::size_t lines = 0;                    // on the side that has fewer
};

/// What one side of a gutter looks like.
struct Side {
  std::size_t lines = 0;
  double characters = 0, width = 0;
  double x0 = 1e30, x1 = -1e30;
  std::vector<double> leadings;  // in ems
  double last_baseline = 0;

  void add(double left, double right, double count, const Row& row) {
    if (lines > 0 && row.size > 0) leadings.push_back((row.baseline - last_baseline) / row.size);
    last_baseline = row.baseline;
    ++lines;
    characters += count;
    width += right - left;
    x0 = std::min(x0, left);
    x1 = std::max(x1, right);
  }
  /// Running text fills its column, has more than a word or two a line, and its lines stand close:
  /// labels and the fields beside them do not.
  bool is_text(double least_fill) {
    const auto count = static_cast<double>(lines);
    const double extent = x1 - x0;
    if (lines < kMinLines || extent <= 0 || characters / count < 13 ||
        width / count < least_fill * extent) {
      return false;
    }
    const auto middle = leadings.begin() + static_cast<std::ptrdiff_t>(leadings.size() / 2);
    std::nth_element(leadings.begin(), middle, leadings.end());
    return *middle < 2.1;
  }
};

double weight(const Frame& frame, const Fragment& fragment) {
  double sum = 0;
  for (std::size_t i = fragment.first_item; i < fragment.last_item; ++i) {
    for (const char32_t c : frame.items[i].text) sum += c >= 0x2E80 ? 2 : 1;  // CJK is wide
  }
  return sum;
}

class ColumnFinder {
 public:
  explicit ColumnFinder(const Frame& frame) : frame_(frame) {}

  std::vector<Fragments> run() {
    Fragments all;
    for (const Fragment& fragment : frame_.fragments) all.push_back(&fragment);
    if (all.size() > kMaxFragments) {
      regions_.push_back(std::move(all));
    } else {
      split(std::move(all), 0);
    }
    return std::move(regions_);
  }

 private:
  void split(Fragments fragments, int depth) {
    if (fragments.empty()) return;
    if (depth < kMaxDepth && fragments.size() >= 2 * kMinLines) {
      const std::vector<Row> rows = build_rows(fragments);
      if (const auto gutter = find_gutter(rows)) {
        Fragments above, left, right, below;
        for (std::size_t r = 0; r < rows.size(); ++r) {
          for (const Fragment* fragment : rows[r].fragments) {
            Fragments& side = r < gutter->first_row                           ? above
                              : r > gutter->last_row                          ? below
                              : (fragment->x0 + fragment->x1) / 2 < gutter->x ? left
                                                                              : right;
            side.push_back(fragment);
          }
        }
        split(std::move(above), depth + 1);
        split(std::move(left), depth + 1);
        split(std::move(right), depth + 1);
        split(std::move(below), depth + 1);
        return;
      }
    }
    regions_.push_back(std::move(fragments));
  }

  std::vector<double> candidates(const std::vector<Row>& rows) const {
    constexpr double kStep = 3;  // points: gutters of one column line up within that
    std::map<long, std::size_t> counts;
    for (const Row& row : rows) {
      for (std::size_t i = 0; i < row.fragments.size(); ++i) {
        const Fragment& right = *row.fragments[i];
        // Left edges line up even where the lines of two columns do not.
        ++counts[std::lround((right.x0 - 0.3 * right.size) / kStep)];
        if (i == 0) continue;
        const Fragment& left = *row.fragments[i - 1];
        if (right.x0 - left.x1 < 0.4 * std::min(left.size, right.size)) continue;
        ++counts[std::lround((left.x1 + right.x0) / 2 / kStep)];
      }
    }
    std::vector<std::pair<std::size_t, long>> ranked;
    for (const auto& [cell, count] : counts) ranked.emplace_back(count, cell);
    std::sort(ranked.rbegin(), ranked.rend());
    std::vector<double> out;
    for (const auto& [count, cell] : ranked) {
      if (out.size() >= kMaxCandidates) break;
      out.push_back(static_cast<double>(cell) * kStep);
    }
    return out;
  }

  std::optional<Gutter> find_gutter(const std::vector<Row>& rows) const {
    std::optional<Gutter> best;
    for (const double x : candidates(rows)) {
      for (std::size_t first = 0; first < rows.size();) {
        const std::size_t end = run_end(rows, x, first);
        if (end > first) {
          const auto found = judge(rows, x, first, end - 1);
          if (found && (!best || found->lines > best->lines)) best = found;
        }
        first = std::max(end, first + 1);
      }
    }
    return best;
  }

  /// Where the rows from `first` on stop leaving white space around x.
  std::size_t run_end(const std::vector<Row>& rows, double x, std::size_t first) const {
    double low = -1e30, high = 1e30;
    std::size_t at = first;
    for (; at < rows.size(); ++at) {
      double row_low = low, row_high = high;
      bool crosses = false;
      for (const Fragment* fragment : rows[at].fragments) {
        if (fragment->x1 <= x) {
          row_low = std::max(row_low, fragment->x1);
        } else if (fragment->x0 >= x) {
          row_high = std::min(row_high, fragment->x0);
        } else {
          crosses = true;
        }
      }
      if (crosses || row_high - row_low < 0.6 * rows[at].size) break;
      low = row_low;
      high = row_high;
    }
    return at;
  }

  std::optional<Gutter> judge(const std::vector<Row>& rows, double x, std::size_t first,
                              std::size_t last) const {
    Side left, right;
    for (std::size_t r = first; r <= last; ++r) {
      double bounds[2][2] = {{1e30, -1e30}, {1e30, -1e30}};
      double count[2] = {0, 0};
      for (const Fragment* fragment : rows[r].fragments) {
        const std::size_t side = (fragment->x0 + fragment->x1) / 2 < x ? 0 : 1;
        bounds[side][0] = std::min(bounds[side][0], fragment->x0);
        bounds[side][1] = std::max(bounds[side][1], fragment->x1);
        count[side] += weight(frame_, *fragment);
      }
      if (count[0] > 0) left.add(bounds[0][0], bounds[0][1], count[0], rows[r]);
      if (count[1] > 0) right.add(bounds[1][0], bounds[1][1], count[1], rows[r]);
    }
    // Between the lines of a table only full columns of text are believed.
    const double fill = enclosed(x, rows[first].top, rows[last].bottom) ? 0.8 : 0.5;
    if (!left.is_text(fill) || !right.is_text(fill)) return std::nullopt;
    if (ruled_across(x, rows[first].top, rows[last].bottom)) return std::nullopt;
    return Gutter{x, first, last, std::min(left.lines, right.lines)};
  }

  /// Whether lines are drawn across the gutter again and again: the rows of a table.
  bool ruled_across(double x, double top, double bottom) const {
    std::vector<double> heights;
    for (const Rule& rule : frame_.rules) {
      if (!rule.horizontal() || rule.x0 > x || rule.x1 < x) continue;
      if (rule.y0 > top - 6 && rule.y0 < bottom + 6) heights.push_back(rule.y0);
    }
    std::sort(heights.begin(), heights.end());
    const auto close = [](double a, double b) { return b - a < 3; };
    heights.erase(std::unique(heights.begin(), heights.end(), close), heights.end());
    return heights.size() >= 3;
  }

  /// Whether the nearest lines above and below that cross the gutter have the same extent.
  bool enclosed(double x, double top, double bottom) const {
    const Rule* above = nullptr;
    const Rule* below = nullptr;
    for (const Rule& rule : frame_.rules) {
      if (!rule.horizontal() || rule.x0 > x || rule.x1 < x) continue;
      if (rule.y0 < top + 4 && (above == nullptr || rule.y0 > above->y0)) above = &rule;
      if (rule.y0 > bottom - 4 && (below == nullptr || rule.y0 < below->y0)) below = &rule;
    }
    return above != nullptr && below != nullptr && std::abs(above->x0 - below->x0) < 8 &&
           std::abs(above->x1 - below->x1) < 8;
  }

  const Frame& frame_;
  std::vector<Fragments> regions_;
};

}  // namespace

std::vector<Fragments> reading_regions(const Frame& frame) { return ColumnFinder(frame).run(); }

}  // namespace lore::ingest::pdf
