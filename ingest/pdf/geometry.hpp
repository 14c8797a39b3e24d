// Affine maps and boxes of the page.
#pragma once

#include <algorithm>
#include <cmath>

namespace lore::ingest::pdf {

struct Point {
  double x = 0, y = 0;
};

/// (x, y) → (a·x + c·y + e, b·x + d·y + f), as PDF writes it.
struct Matrix {
  double a = 1, b = 0, c = 0, d = 1, e = 0, f = 0;

  Point apply(double x, double y) const { return {a * x + c * y + e, b * x + d * y + f}; }
  /// Of a vector: without the translation.
  Point apply_vector(double x, double y) const { return {a * x + c * y, b * x + d * y}; }
  bool finite() const {
    return std::isfinite(a) && std::isfinite(b) && std::isfinite(c) && std::isfinite(d) &&
           std::isfinite(e) && std::isfinite(f);
  }
};

/// The map that applies `first`, then `second`.
inline Matrix operator*(const Matrix& first, const Matrix& second) {
  return {first.a * second.a + first.b * second.c,
          first.a * second.b + first.b * second.d,
          first.c * second.a + first.d * second.c,
          first.c * second.b + first.d * second.d,
          first.e * second.a + first.f * second.c + second.e,
          first.e * second.b + first.f * second.d + second.f};
}

inline double length(Point vector) { return std::hypot(vector.x, vector.y); }

/// A box with x0 ≤ x1 and y0 ≤ y1.
struct Box {
  double x0 = 0, y0 = 0, x1 = 0, y1 = 0;

  double width() const { return x1 - x0; }
  double height() const { return y1 - y0; }
  void include(Point point) {
    x0 = std::min(x0, point.x);
    y0 = std::min(y0, point.y);
    x1 = std::max(x1, point.x);
    y1 = std::max(y1, point.y);
  }
};

/// The box around a box's image.
inline Box transformed(const Box& box, const Matrix& matrix) {
  const Point first = matrix.apply(box.x0, box.y0);
  Box out{first.x, first.y, first.x, first.y};
  out.include(matrix.apply(box.x1, box.y0));
  out.include(matrix.apply(box.x0, box.y1));
  out.include(matrix.apply(box.x1, box.y1));
  return out;
}

}  // namespace lore::ingest::pdf
