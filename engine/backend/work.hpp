// What a computation has to do, what the machine can do at most, and the times of its parts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lore::engine {

/// Arithmetic and reading of a computation. Operations: a product and a sum are two.
struct Work {
  double int8 = 0;   ///< operations on 8-bit integers
  double bf16 = 0;   ///< operations on bfloat16
  double f32 = 0;    ///< operations on float32
  double bytes = 0;  ///< of weights and of cached keys and values, each counted once a pass

  Work& operator+=(const Work& other) noexcept {
    int8 += other.int8;
    bf16 += other.bf16;
    f32 += other.f32;
    bytes += other.bytes;
    return *this;
  }
};

/// What instructions and memory give at most, all threads of a pool together, in a second.
struct MachineLimits {
  std::string kernels;  ///< the table whose instructions were measured
  double int8 = 0;
  double bf16 = 0;  ///< 0 where no instruction multiplies bfloat16
  double f32 = 0;
  double bytes = 0;  ///< read from memory, far more than any cache holds
};

/// What holds a computation up.
enum class Bound { int8, bf16, f32, memory };

/// The time that a machine needs at least: the arithmetic one kind after the other, since the kinds
/// share the execution units, while memory is read beside it.
struct LeastTime {
  double seconds = 0;
  Bound bound = Bound::memory;  ///< the largest part of what takes longer
};
LeastTime least_time(const Work& work, const MachineLimits& limits);

/// "int8", "bf16", "f32", "memory".
std::string_view bound_name(Bound bound) noexcept;

enum class OperationKind { product, attention, rows };

/// All steps of a program that do the same, over all layers.
struct OperationTime {
  OperationKind kind{};
  std::string name;       ///< "Q4_K 8960 x 1536": type, outputs and inputs of a product
  std::size_t calls = 0;  ///< steps
  double seconds = 0;     ///< the mean of the pool's threads, waiting for each other included
  Work work;              ///< of all calls; none is counted for row operations
};

}  // namespace lore::engine
