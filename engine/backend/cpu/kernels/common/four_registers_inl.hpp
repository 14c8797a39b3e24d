// Vectors of four registers of 16 bytes. Included by the vec.hpp of an instruction set after
// FloatRegister, IntRegister and ByteRegister.
#pragma once

#include "engine/backend/cpu/kernels/common/unroll.hpp"

namespace lore::engine::cpu {
namespace {

/// Register i holds the lanes 4i … 4i + 3; of Bytes the four bytes of each of these.
struct Floats {
  FloatRegister v[4];
};
struct Ints {
  IntRegister v[4];
};
struct Bytes {
  ByteRegister v[4];
};

// Vectors of what a function gives for each of the four registers.
template <typename One>
LORE_INLINE Floats floats(One one) {
  return {{one(0), one(1), one(2), one(3)}};
}
template <typename One>
LORE_INLINE Ints ints(One one) {
  return {{one(0), one(1), one(2), one(3)}};
}
template <typename One>
LORE_INLINE Bytes bytes(One one) {
  return {{one(0), one(1), one(2), one(3)}};
}

}  // namespace
}  // namespace lore::engine::cpu

#include "engine/backend/cpu/kernels/common/loads_inl.hpp"

namespace lore::engine::cpu {
namespace {

LORE_INLINE Floats zero_floats() { return broadcast(0.0F); }

// Without masked loads and stores a part goes through memory that is a whole vector long.
LORE_INLINE Floats load_part(const float* x, std::size_t n) {
  if (n == 16) return load(x);
  float part[16] = {};
  for (std::size_t i = 0; i < n; ++i) part[i] = x[i];
  return load(part);
}
LORE_INLINE void store_part(float* x, Floats v, std::size_t n) {
  float part[16];
  store(part, v);
  for (std::size_t i = 0; i < n; ++i) x[i] = part[i];
}

}  // namespace
}  // namespace lore::engine::cpu
