#include "ingest/pdf/fragments.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <unordered_map>
#include <utility>

namespace lore::ingest::pdf {
namespace {

/// Remembers where each character was drawn, to find overprints.
class OverprintFilter {
 public:
  /// Whether the same text was drawn at almost the same place before; remembers it otherwise.
  bool seen(const Glyph& glyph, std::u32string_view text) {
    const double near = std::min(0.1 * glyph.size, kCell);  // huge glyphs would look at many cells
    const auto cell = [](double value) {
      return static_cast<std::int64_t>(std::floor(value / kCell));
    };
    for (std::int64_t row = cell(glyph.y - near); row <= cell(glyph.y + near); ++row) {
      for (std::int64_t column = cell(glyph.x - near); column <= cell(glyph.x + near); ++column) {
        const auto found = drawn_.find(key(text[0], column, row));
        if (found == drawn_.end()) continue;
        const Place& place = found->second;
        if (std::abs(place.x - glyph.x) <= near && std::abs(place.y - glyph.y) <= near &&
            std::abs(place.size - glyph.size) <= 0.05 * glyph.size && place.text == text) {
          return true;
        }
      }
    }
    drawn_[key(text[0], cell(glyph.x), cell(glyph.y))] = {glyph.x, glyph.y, glyph.size, text};
    return false;
  }

 private:
  static constexpr double kCell = 4;  // points; above a tenth of any usual size
  struct Place {
    float x, y, size;
    std::u32string_view text;
  };
  static std::uint64_t key(char32_t c, std::int64_t column, std::int64_t row) {
    return (static_cast<std::uint64_t>(c) * 0x9E3779B97F4A7C15u) ^
           (static_cast<std::uint64_t>(column) * 0xC2B2AE3D27D4EB4Fu) ^
           (static_cast<std::uint64_t>(row) * 0x165667B19E3779F9u);
  }
  std::unordered_map<std::uint64_t, Place> drawn_;
};

bool is_blank(std::u32string_view text) {
  return std::all_of(text.begin(), text.end(), [](char32_t c) {
    return c == U' ' || c == 0xA0 || (c >= 0x2000 && c <= 0x200B) || c == 0x3000 || c == 0x202F;
  });
}

/// Adds glyphs of one direction, in the order of drawing.
class FrameBuilder {
 public:
  explicit FrameBuilder(int direction, bool vertical) {
    frame_.direction = direction;
    frame_.vertical = vertical;
    const double radians = direction * 3.14159265358979323846 / 180;
    cosine_ = std::cos(radians);
    sine_ = std::sin(radians);
  }

  void add(const Glyph& glyph, std::u32string_view text) {
    const double x = glyph.x * cosine_ + glyph.y * sine_;
    const double y = -glyph.x * sine_ + glyph.y * cosine_;
    const double advance = glyph.dx * cosine_ + glyph.dy * sine_;
    const Item item{x, x + std::max(advance, 0.0), text, is_blank(text)};
    if (item.space && !open_) return;  // a space between fragments says nothing
    if (open_ && !continues(item, y, glyph)) close();
    if (item.space && !open_) return;
    if (!open_) start(item, y, glyph);
    frame_.items.push_back(item);
    if (item.space) return;
    Fragment& fragment = frame_.fragments.back();
    fragment.x0 = std::min(fragment.x0, item.x0);
    fragment.x1 = std::max(fragment.x1, item.x1);
    fragment.characters += text.size();
    ink_end_ = item.x1;
    ink_items_ = frame_.items.size();
    if (glyph.bold) ++bold_;
    ++inked_;
  }

  Frame finish() {
    close();
    return std::move(frame_);
  }

 private:
  bool continues(const Item& item, double y, const Glyph& glyph) const {
    const Fragment& fragment = frame_.fragments.back();
    const double em = fragment.size;
    if (std::abs(y - fragment.baseline) > 0.15 * em) return false;
    if (std::abs(glyph.size - em) > 0.3 * em) return false;
    const double gap = item.x0 - ink_end_;
    return gap > -0.4 * em && gap < kFragmentGap * em;
  }

  void start(const Item& item, double y, const Glyph& glyph) {
    Fragment fragment;
    fragment.x0 = item.x0;
    fragment.x1 = item.x1;
    fragment.baseline = y;
    fragment.size = glyph.size;
    // Vertical writing stands on its middle, horizontal on its baseline.
    fragment.top = y - (frame_.vertical ? 0.5 : 0.75) * glyph.size;
    fragment.bottom = y + (frame_.vertical ? 0.5 : 0.22) * glyph.size;
    fragment.first_item = frame_.items.size();
    frame_.fragments.push_back(fragment);
    open_ = true;
    bold_ = inked_ = 0;
  }

  void close() {
    if (!open_) return;
    open_ = false;
    Fragment& fragment = frame_.fragments.back();
    frame_.items.resize(ink_items_);  // spaces at the end
    fragment.last_item = ink_items_;
    fragment.bold = bold_ * 2 > inked_;
  }

  Frame frame_;
  double cosine_ = 1, sine_ = 0;
  bool open_ = false;
  double ink_end_ = 0;
  std::size_t ink_items_ = 0, bold_ = 0, inked_ = 0;
};

}  // namespace

std::vector<Frame> build_frames(const PageContent& page) {
  std::map<std::pair<bool, int>, FrameBuilder> builders;
  OverprintFilter overprints;
  FrameBuilder* last = nullptr;
  std::pair<bool, int> last_key{};
  for (const Glyph& glyph : page.glyphs) {
    const auto text = std::u32string_view(page.text).substr(glyph.text_start, glyph.text_length);
    if (text.empty()) continue;
    if (!is_blank(text) && overprints.seen(glyph, text)) continue;
    const std::pair<bool, int> key{glyph.vertical, glyph.direction};
    if (last == nullptr || key != last_key) {
      last = &builders.try_emplace(key, key.second, key.first).first->second;
      last_key = key;
    }
    last->add(glyph, text);
  }
  std::vector<Frame> frames;
  for (auto& [key, builder] : builders) {
    frames.push_back(builder.finish());
    if (key == std::pair<bool, int>{false, 0}) frames.back().rules = page.rules;
  }
  return frames;
}

std::vector<Row> build_rows(std::vector<const Fragment*> fragments) {
  std::sort(fragments.begin(), fragments.end(), [](const Fragment* a, const Fragment* b) {
    return a->baseline != b->baseline ? a->baseline < b->baseline : a->x0 < b->x0;
  });
  std::vector<Row> rows;
  // Superscripts and columns that are set a little apart overlap the row that was opened last but
  // one, too; further back nothing can overlap.
  constexpr std::size_t kLookBack = 3;
  for (const Fragment* fragment : fragments) {
    Row* best = nullptr;
    double best_overlap = 0.5;
    for (std::size_t back = 1; back <= std::min(kLookBack, rows.size()); ++back) {
      Row& row = rows[rows.size() - back];
      const double shared =
          std::min(row.bottom, fragment->bottom) - std::max(row.top, fragment->top);
      const double smaller = std::min(row.bottom - row.top, fragment->bottom - fragment->top);
      const double overlap = smaller > 0 ? shared / smaller : 0;
      if (overlap > best_overlap) {
        best = &row;
        best_overlap = overlap;
      }
    }
    if (best == nullptr) {
      rows.emplace_back();
      best = &rows.back();
      best->x0 = fragment->x0;
      best->x1 = fragment->x1;
    }
    if (fragment->size > best->size) {  // the largest text of a row says where it stands
      best->size = fragment->size;
      best->top = fragment->top;
      best->bottom = fragment->bottom;
      best->baseline = fragment->baseline;
    }
    best->x0 = std::min(best->x0, fragment->x0);
    best->x1 = std::max(best->x1, fragment->x1);
    best->fragments.push_back(fragment);
  }
  for (Row& row : rows) {
    std::sort(row.fragments.begin(), row.fragments.end(),
              [](const Fragment* a, const Fragment* b) { return a->x0 < b->x0; });
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row& a, const Row& b) { return a.baseline < b.baseline; });
  return rows;
}

}  // namespace lore::ingest::pdf
