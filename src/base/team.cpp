#include "base/team.hpp"

#include <algorithm>
#include <thread>

#include "lore/error.hpp"

namespace lore {
namespace {

// Some tens of microseconds on today's machines: longer than the gap between two loops of a layer.
constexpr int kSpins = 4000;
constexpr int kYields = 50;

inline void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("isb");  // waits some tens of cycles; `yield` is a no-op on most cores
#endif
}

}  // namespace

void wait_for_change(const std::atomic<std::uint32_t>& value, std::uint32_t old) {
  for (int i = 0; i < kSpins; ++i) {
    if (value.load(std::memory_order_acquire) != old) return;
    relax();
  }
  for (int i = 0; i < kYields; ++i) {
    if (value.load(std::memory_order_acquire) != old) return;
    std::this_thread::yield();
  }
  value.wait(old, std::memory_order_acquire);
}

void Team::loop(std::size_t count, std::size_t grain,
                FunctionRef<void(std::size_t, std::size_t)> body) {
  if (count == 0) return;
  if (size_ == 1) {
    for (std::size_t begin = 0; begin < count; begin += grain) {
      body(begin, std::min(count, begin + grain));
    }
    return;
  }
  for (;;) {
    const std::size_t begin = next_.fetch_add(grain, std::memory_order_relaxed);
    if (begin >= count) break;
    body(begin, std::min(count, begin + grain));
  }
  barrier();
}

void Team::barrier() {
  if (size_ == 1) return;
  // Who comes after a failure finds the phase counted on already and must not wait for the others,
  // who have gone; who has read the phase before it is woken by that count.
  const std::uint32_t phase = phase_.load(std::memory_order_acquire);
  throw_if_abandoned();
  if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == size_) {
    // Everybody has left the loop, so its counter can serve the next one.
    arrived_.store(0, std::memory_order_relaxed);
    next_.store(0, std::memory_order_relaxed);
    phase_.fetch_add(1, std::memory_order_release);
    phase_.notify_all();
  } else {
    wait_for_change(phase_, phase);
  }
  throw_if_abandoned();
}

void Team::throw_if_abandoned() const {
  if (abandoned_.load(std::memory_order_acquire)) {
    throw Error(ErrorCode::interrupted, "another thread of this computation failed");
  }
}

void Team::abandon() noexcept {
  abandoned_.store(true, std::memory_order_release);
  phase_.fetch_add(1, std::memory_order_release);
  phase_.notify_all();
}

}  // namespace lore
