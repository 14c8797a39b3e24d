// What the instructions of a kernel table and the memory of this machine give at most.
#pragma once

#include "base/thread_pool.hpp"
#include "engine/backend/cpu/kernels/kernel_table.hpp"
#include "engine/backend/work.hpp"

namespace lore::engine::cpu {

/// Measures all threads of the pool at the same time, for about a second. Each rate is the best of
/// several runs, and arithmetic is timed in the processor time of each thread, so that other
/// programs on the machine matter less. Takes four times the last-level cache of memory (256 MiB to
/// 1 GiB) for as long. Throws Error{limit_exceeded} where that is not there.
MachineLimits measure_limits(const KernelTable& kernels, ThreadPool& pool);

}  // namespace lore::engine::cpu
