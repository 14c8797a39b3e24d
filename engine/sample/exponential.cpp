#include "engine/sample/exponential.hpp"

#include <cmath>

namespace lore::engine {

double portable_exp(double x) noexcept {
  if (!(x > -700.0)) return 0.0;
  // x = k ln 2 + r with |r| <= ln 2 / 2; ln 2 in two parts, the first exact for every k.
  constexpr double kLn2High = 6.93147180369123816490e-01;
  constexpr double kLn2Low = 1.90821492927058770002e-10;
  constexpr double kInverseLn2 = 1.44269504088896338700;
  const double k = std::floor(x * kInverseLn2 + 0.5);
  const double r = (x - k * kLn2High) - k * kLn2Low;
  double sum = 1.0;  // Taylor, 16 terms, from the smallest
  for (int n = 16; n >= 1; --n) sum = 1.0 + sum * r / n;
  return std::ldexp(sum, static_cast<int>(k));
}

}  // namespace lore::engine
