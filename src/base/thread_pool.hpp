// A fixed set of threads that work on one loop at a time.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/function_ref.hpp"

namespace lore {

class Team;

/// Runs loops in parallel. The calling thread takes part, so a pool of one starts no thread at all.
///
/// Workers spin for some microseconds after a loop, because a decoder starts hundreds of short
/// loops a token, then yield, then sleep: an idle pool costs nothing, and a machine whose cores are
/// taken by others is not held up by spinning.
///
/// Thread safety: one loop at a time; calls from several threads are served one after the other.
/// A loop must not start another one on the same pool.
class ThreadPool {
 public:
  /// `threads`: how many work at once, the caller included; 0 takes all that the process may use.
  /// Throws Error{limit_exceeded} where the system starts no more of them.
  explicit ThreadPool(unsigned threads = 0);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  unsigned size() const noexcept { return size_; }

  /// Calls `body(begin, end, worker)` for pieces of [0, count), each of at most `grain` items,
  /// handed out in turn to whoever is free; `worker` is in [0, size()). Returns when all is done.
  /// The first exception that a body throws is rethrown here, after the others have ended.
  void parallel_for(std::size_t count, std::size_t grain,
                    FunctionRef<void(std::size_t begin, std::size_t end, unsigned worker)> body);

  /// Calls `body(team, worker)` once on every thread of the pool, all at the same time. Returns
  /// when all have ended; the first exception abandons the team and is rethrown here.
  void run(FunctionRef<void(Team& team, unsigned worker)> body);

  /// How many threads this process may run at once (its CPU affinity), at least 1.
  static unsigned available_threads();

 private:
  using Body = FunctionRef<void(std::size_t, std::size_t, unsigned)>;

  void stop() noexcept;
  void start(Body body, std::size_t count, std::size_t grain, bool everyone);
  void serve(unsigned worker);
  void work(unsigned worker);
  void attempt(std::size_t begin, std::size_t end, unsigned worker);

  unsigned size_;
  std::mutex loop_mutex_;  // one loop at a time

  // The loop in hand; written before epoch_ is raised, read after it was seen.
  const Body* body_ = nullptr;
  std::size_t count_ = 0;
  std::size_t grain_ = 1;
  bool everyone_ = false;  // one call a thread instead of pieces of a loop
  std::exception_ptr failure_;
  std::mutex failure_mutex_;

  alignas(64) std::atomic<std::uint32_t> epoch_{0};
  alignas(64) std::atomic<std::size_t> next_{0};
  alignas(64) std::atomic<std::uint32_t> busy_{0};
  std::atomic<bool> stopping_{false};
  std::vector<std::thread> threads_;
};

}  // namespace lore
