// Loops that are unrolled while compiling, so that their index can be part of an instruction.
#pragma once

#include <cstddef>

#define LORE_INLINE inline __attribute__((always_inline))
#define LORE_INLINE_LAMBDA __attribute__((always_inline))
#ifdef __clang__
#define LORE_UNROLL _Pragma("unroll")
#else
#define LORE_UNROLL _Pragma("GCC unroll 16")
#endif

namespace lore::engine::cpu {
namespace {

/// Hides where a value comes from. Without it compilers compute the address of every operand of an
/// unrolled loop beforehand, and run out of registers; with it they use base + 8 * index + offset.
template <typename T>
LORE_INLINE void hide(T& value) {
  asm("" : "+r"(value));
}

/// A number that is known while compiling.
template <std::size_t kValue>
struct Index {
  static constexpr std::size_t value = kValue;
};

/// body(Index<0>{}), …, body(Index<kCount - 1>{}).
template <std::size_t kCount, std::size_t kFirst = 0, typename Body>
LORE_INLINE void unroll(Body body) {
  if constexpr (kFirst < kCount) {
    body(Index<kFirst>{});
    unroll<kCount, kFirst + 1>(body);
  }
}

}  // namespace
}  // namespace lore::engine::cpu
