// Where the time of a session goes: the steps that it ran, one kind of operation together.
#pragma once

#include <chrono>
#include <span>
#include <unordered_map>
#include <vector>

#include "engine/backend/backend.hpp"
#include "engine/backend/cpu/executable.hpp"

namespace lore::engine::cpu {

/// What a step computes and reads for a batch. `rows`: that the step computes.
Work work_of(const CpuExecutable& executable, const graph::Step& step, const Batch& batch,
             RowRange rows);

/// The steps that one thread of a pool runs; its seconds count for its share of the pool. Waiting
/// for the others belongs to the step, but a thread that comes late charges an earlier one: the
/// mean of all threads says most.
///
/// Thread safety: one thread at a time.
class Recorder {
 public:
  /// `threads`: of the pool.
  Recorder(const CpuExecutable& executable, unsigned threads)
      : executable_(&executable), threads_(threads) {}

  /// Whether the thread counts the steps and their work, or another of its team does.
  void set_counting(bool counting) { counting_ = counting; }

  void start_step() { start_ = Clock::now(); }
  void end_step(const graph::Step& step, const Batch& batch, RowRange rows);

  /// The steps of several threads, one kind of operation together, most time first.
  static std::vector<OperationTime> times(std::span<const Recorder> recorders);

 private:
  using Clock = std::chrono::steady_clock;

  struct Entry {
    std::size_t calls = 0;
    double seconds = 0;
    Work work;
  };

  const CpuExecutable* executable_;
  unsigned threads_;
  bool counting_ = true;
  Clock::time_point start_;
  std::unordered_map<const graph::Step*, Entry> entries_;
};

}  // namespace lore::engine::cpu
