#include "engine/backend/work.hpp"

#include <array>

namespace lore::engine {

LeastTime least_time(const Work& work, const MachineLimits& limits) {
  struct Part {
    Bound bound;
    double amount;
    double rate;

    double seconds() const { return amount > 0 ? amount / rate : 0; }
  };
  const std::array arithmetic = {Part{Bound::int8, work.int8, limits.int8},
                                 Part{Bound::bf16, work.bf16, limits.bf16},
                                 Part{Bound::f32, work.f32, limits.f32}};
  double together = 0;
  const Part* largest = arithmetic.data();
  for (const Part& part : arithmetic) {
    together += part.seconds();
    if (part.seconds() > largest->seconds()) largest = &part;
  }
  const double reading = Part{Bound::memory, work.bytes, limits.bytes}.seconds();
  if (together > reading) return {together, largest->bound};
  return {reading, Bound::memory};
}

std::string_view bound_name(Bound bound) noexcept {
  switch (bound) {
    case Bound::int8:
      return "int8";
    case Bound::bf16:
      return "bf16";
    case Bound::f32:
      return "f32";
    case Bound::memory:
      break;
  }
  return "memory";
}

}  // namespace lore::engine
