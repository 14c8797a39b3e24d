// Paths: the part of Interpreter that finds the drawn lines of tables.
#include <algorithm>
#include <cmath>

#include "ingest/pdf/interpreter.hpp"

namespace lore::ingest::pdf {
namespace {

constexpr std::size_t kMaxSegments = 10'000;  // of one path

}  // namespace

bool Interpreter::handle_path(std::string_view keyword) {
  if (keyword == "m") {
    path_start_ = path_at_ = state_.ctm.apply(number(0), number(1));
  } else if (keyword == "l") {
    const Point to = state_.ctm.apply(number(0), number(1));
    if (path_.size() < kMaxSegments) path_.emplace_back(path_at_, to);
    path_at_ = to;
  } else if (keyword == "c") {
    path_at_ = state_.ctm.apply(number(4), number(5));
  } else if (keyword == "v" || keyword == "y") {
    path_at_ = state_.ctm.apply(number(2), number(3));
  } else if (keyword == "h") {
    if (path_.size() < kMaxSegments) path_.emplace_back(path_at_, path_start_);
    path_at_ = path_start_;
  } else if (keyword == "re") {
    const double x = number(0), y = number(1), w = number(2), h = number(3);
    const Point a = state_.ctm.apply(x, y), b = state_.ctm.apply(x + w, y),
                c = state_.ctm.apply(x + w, y + h), d = state_.ctm.apply(x, y + h);
    if (path_.size() + 4 <= kMaxSegments) {
      path_.insert(path_.end(), {{a, b}, {b, c}, {c, d}, {d, a}});
    }
    path_start_ = path_at_ = a;
  } else if (keyword == "S" || keyword == "s" || keyword == "B" || keyword == "B*" ||
             keyword == "b" || keyword == "b*") {
    paint_path(true);
  } else if (keyword == "f" || keyword == "F" || keyword == "f*") {
    paint_path(false);
  } else if (keyword == "n") {
    path_.clear();
  } else {
    return false;
  }
  return true;
}

void Interpreter::paint_path(bool stroke) {
  constexpr double kThin = 3;  // points: a filled box below that is a drawn line
  if (!hidden() && stroke) {
    for (const auto& [from, to] : path_) add_rule(from, to);
  } else if (!hidden() && path_.size() >= 2 && path_.size() % 4 == 0) {
    for (std::size_t i = 0; i + 4 <= path_.size(); i += 4) {
      Box box{path_[i].first.x, path_[i].first.y, path_[i].first.x, path_[i].first.y};
      for (std::size_t k = 0; k < 4; ++k) box.include(path_[i + k].second);
      if (box.height() < kThin && box.width() >= kThin) {
        add_rule({box.x0, (box.y0 + box.y1) / 2}, {box.x1, (box.y0 + box.y1) / 2});
      } else if (box.width() < kThin && box.height() >= kThin) {
        add_rule({(box.x0 + box.x1) / 2, box.y0}, {(box.x0 + box.x1) / 2, box.y1});
      }
    }
  }
  path_.clear();
}

void Interpreter::add_rule(Point from, Point to) {
  constexpr std::size_t kMaxRules = 20'000;
  constexpr double kShortest = 4;  // points
  const double width = std::abs(to.x - from.x), height = std::abs(to.y - from.y);
  const bool straight =
      (width < 0.5 && height >= kShortest) || (height < 0.5 && width >= kShortest);
  if (!straight || out_.rules.size() >= kMaxRules || !std::isfinite(width + height)) return;
  out_.rules.push_back(
      {static_cast<float>(std::min(from.x, to.x)), static_cast<float>(std::min(from.y, to.y)),
       static_cast<float>(std::max(from.x, to.x)), static_cast<float>(std::max(from.y, to.y))});
}

}  // namespace lore::ingest::pdf
