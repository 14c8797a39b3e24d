// The threads of a pool that run the same code together, with loops that they share.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/function_ref.hpp"

namespace lore {

/// Several threads that all call the same methods in the same order. Cheaper than one
/// ThreadPool::parallel_for a loop: nobody has to be woken between two loops, a loop costs one
/// barrier.
///
/// Waiting spins for some microseconds, then yields, then sleeps, so that a machine whose cores are
/// taken by others is not held up.
///
/// Thread safety: made for it; see above.
class Team {
 public:
  explicit Team(unsigned size) : size_(size) {}
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  unsigned size() const noexcept { return size_; }

  /// Calls body(begin, end) for pieces of [0, count) of at most `grain` items, handed out in turn
  /// to the members as they become free. Returns when all pieces are done. Throws
  /// Error{interrupted} where another member has abandoned the team.
  void loop(std::size_t count, std::size_t grain,
            FunctionRef<void(std::size_t begin, std::size_t end)> body);
  /// Returns when all members have called it. Throws as loop does.
  void barrier();
  /// Releases the others for good when a member cannot go on.
  void abandon() noexcept;

 private:
  void throw_if_abandoned() const;

  unsigned size_;
  alignas(64) std::atomic<std::size_t> next_{0};
  alignas(64) std::atomic<std::uint32_t> arrived_{0};
  alignas(64) std::atomic<std::uint32_t> phase_{0};
  std::atomic<bool> abandoned_{false};
};

/// Waits until `value` differs from `old`: spinning, then yielding, then asleep.
void wait_for_change(const std::atomic<std::uint32_t>& value, std::uint32_t old);

}  // namespace lore
