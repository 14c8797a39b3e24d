// Loads and stores that follow from those of an instruction set. Included by its vec.hpp after the
// types, ahead of the functions that are declared here.
#pragma once

#include "engine/backend/cpu/kernels/common/unroll.hpp"

namespace lore::engine::cpu {
namespace {

LORE_INLINE Floats broadcast(float x);
LORE_INLINE Ints broadcast(std::int32_t x);
LORE_INLINE Floats load(const float* x);
LORE_INLINE void store(float* x, Floats v);

LORE_INLINE Floats load_floats(const void* x) { return load(static_cast<const float*>(x)); }
LORE_INLINE void store_floats(void* x, Floats v) { store(static_cast<float*>(x), v); }
LORE_INLINE Floats broadcast_float(const void* x) {
  float value;
  __builtin_memcpy(&value, x, sizeof(value));
  return broadcast(value);
}
LORE_INLINE Ints broadcast_int(const void* x) {
  std::int32_t value;
  __builtin_memcpy(&value, x, sizeof(value));
  return broadcast(value);
}

}  // namespace
}  // namespace lore::engine::cpu
