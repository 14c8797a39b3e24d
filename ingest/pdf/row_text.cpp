#include "ingest/pdf/row_text.hpp"

#include <utf8proc.h>

#include <algorithm>
#include <cmath>

namespace lore::ingest::pdf {
namespace {

/// One visible unit of a line: a character with its marks, or a glyph of several characters.
struct Cluster {
  double x0 = 0, x1 = 0;
  std::u32string text;
  bool space = false;
};

enum class Direction { left_to_right, right_to_left, number, neutral };

bool is_mark(char32_t c) {
  const utf8proc_category_t category = utf8proc_category(static_cast<utf8proc_int32_t>(c));
  return category == UTF8PROC_CATEGORY_MN || category == UTF8PROC_CATEGORY_ME;
}

Direction direction_of(const std::u32string& text) {
  for (const char32_t c : text) {
    if ((c >= U'0' && c <= U'9') || (c >= 0x660 && c <= 0x669) || (c >= 0x6F0 && c <= 0x6F9)) {
      return Direction::number;
    }
    if (is_right_to_left(c)) return Direction::right_to_left;
    const utf8proc_category_t category = utf8proc_category(static_cast<utf8proc_int32_t>(c));
    if (category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO) {
      return Direction::left_to_right;
    }
  }
  return Direction::neutral;
}

/// Units of the row from left to right; marks join the character that they stand on.
std::vector<Cluster> clusters_of(const Frame& frame,
                                 const std::vector<const Fragment*>& fragments) {
  std::vector<Cluster> clusters;
  std::vector<const Item*> marks;
  for (const Fragment* fragment : fragments) {
    for (std::size_t i = fragment->first_item; i < fragment->last_item; ++i) {
      const Item& item = frame.items[i];
      if (!item.text.empty() && is_mark(item.text[0])) {
        marks.push_back(&item);
      } else {
        clusters.push_back({item.x0, item.x1, std::u32string(item.text), item.space});
      }
    }
  }
  std::stable_sort(clusters.begin(), clusters.end(),
                   [](const Cluster& a, const Cluster& b) { return a.x0 < b.x0; });
  for (const Item* mark : marks) {
    const double middle = (mark->x0 + mark->x1) / 2;
    const auto after =
        std::upper_bound(clusters.begin(), clusters.end(), middle + 1e-6,
                         [](double x, const Cluster& cluster) { return x < cluster.x0; });
    if (after == clusters.begin()) {
      clusters.insert(after, {mark->x0, mark->x1, std::u32string(mark->text), false});
    } else {
      std::prev(after)->text += mark->text;
    }
  }
  return clusters;
}

/// Turns clusters as they stand from left to right into the order in which they are read.
/// A simple inverse of the Unicode bidirectional algorithm: no embeddings, two levels and numbers.
std::u32string logical_text(std::vector<Cluster> clusters, double size) {
  std::vector<Cluster> spaced;
  for (Cluster& cluster : clusters) {
    const bool gap = !spaced.empty() && !spaced.back().space && !cluster.space &&
                     cluster.x0 - spaced.back().x1 >= kWordGap * size;
    if (gap) spaced.push_back({spaced.back().x1, cluster.x0, U" ", true});
    spaced.push_back(std::move(cluster));
  }
  std::vector<Direction> directions;
  std::size_t left = 0, right = 0;
  for (const Cluster& cluster : spaced) {
    directions.push_back(cluster.space ? Direction::neutral : direction_of(cluster.text));
    if (directions.back() == Direction::left_to_right) ++left;
    if (directions.back() == Direction::right_to_left) ++right;
  }
  const Direction base = right >= left ? Direction::right_to_left : Direction::left_to_right;
  // What is neutral belongs to both its neighbours where they agree, else to the base.
  for (std::size_t i = 0; i < directions.size();) {
    if (directions[i] != Direction::neutral) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < directions.size() && directions[end] == Direction::neutral) ++end;
    const Direction before = i > 0 ? directions[i - 1] : base;
    const Direction after = end < directions.size() ? directions[end] : base;
    for (std::size_t k = i; k < end; ++k) directions[k] = before == after ? before : base;
    i = end;
  }
  if (base == Direction::right_to_left) {
    std::reverse(spaced.begin(), spaced.end());
    std::reverse(directions.begin(), directions.end());
  }
  // Runs against the base stand reversed now.
  std::u32string out;
  for (std::size_t i = 0; i < spaced.size();) {
    std::size_t end = i + 1;
    const auto against = [&](std::size_t k) {
      return base == Direction::right_to_left
                 ? directions[k] == Direction::left_to_right || directions[k] == Direction::number
                 : directions[k] == Direction::right_to_left;
    };
    while (end < spaced.size() && against(end) == against(i)) ++end;
    for (std::size_t k = i; k < end; ++k) {
      out += spaced[against(i) ? end - 1 - (k - i) : k].text;
    }
    i = end;
  }
  return out;
}

void append_clean(std::u32string& out, std::u32string_view text) {
  for (char32_t c : text) {
    if (c == 0xA0 || (c >= 0x2000 && c <= 0x200A) || c == 0x202F || c == 0x3000) c = U' ';
    if (c == 0x200B || c == 0x2028 || c == 0x2029 || c == 0x0C) continue;
    if (c == U' ' && (out.empty() || out.back() == U' ')) continue;
    out.push_back(c);
  }
}

/// Letters and the marks on them as one character where there is one (NFC).
std::u32string composed(const std::u32string& text) {
  std::vector<utf8proc_int32_t> points(text.begin(), text.end());
  points.resize(4 * points.size() + 16);  // decomposing makes it longer first
  utf8proc_ssize_t size = 0;
  for (const char32_t c : text) {
    int boundary = 0;
    const utf8proc_ssize_t made = utf8proc_decompose_char(
        static_cast<utf8proc_int32_t>(c), points.data() + size,
        static_cast<utf8proc_ssize_t>(points.size()) - size, UTF8PROC_DECOMPOSE, &boundary);
    if (made < 0 || size + made > static_cast<utf8proc_ssize_t>(points.size())) return text;
    size += made;
  }
  const utf8proc_ssize_t length = utf8proc_normalize_utf32(points.data(), size, UTF8PROC_COMPOSE);
  if (length < 0) return text;
  return {points.begin(), points.begin() + length};
}

std::u32string cleaned(std::u32string_view text) {
  std::u32string out;
  append_clean(out, text);
  while (!out.empty() && out.back() == U' ') out.pop_back();
  return std::any_of(out.begin(), out.end(), is_mark) ? composed(out) : out;
}

}  // namespace

bool is_right_to_left(char32_t c) noexcept {
  return (c >= 0x590 && c <= 0x8FF) || (c >= 0xFB1D && c <= 0xFDFF) ||
         (c >= 0xFE70 && c <= 0xFEFC) || (c >= 0x10800 && c <= 0x10FFF) ||
         (c >= 0x1E800 && c <= 0x1EFFF);
}

std::u32string text_of(const Frame& frame, const std::vector<const Fragment*>& fragments) {
  bool right_to_left = false;
  std::u32string out;
  double end = 0;
  for (const Fragment* fragment : fragments) {
    for (std::size_t i = fragment->first_item; i < fragment->last_item; ++i) {
      const Item& item = frame.items[i];
      const bool first = out.empty();
      if (!first && item.x0 - end >= kWordGap * fragment->size) append_clean(out, U" ");
      append_clean(out, item.text);
      if (!item.space || first) end = item.x1;
      right_to_left = right_to_left || std::any_of(item.text.begin(), item.text.end(),
                                                   [](char32_t c) { return is_right_to_left(c); });
    }
  }
  if (right_to_left && !fragments.empty()) {
    return cleaned(logical_text(clusters_of(frame, fragments), fragments.front()->size));
  }
  return cleaned(out);
}

}  // namespace lore::ingest::pdf
