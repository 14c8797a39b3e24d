#include "base/thread_pool.hpp"

#include <sched.h>

#include <algorithm>
#include <string>

#include "base/team.hpp"
#include "lore/error.hpp"

namespace lore {

unsigned ThreadPool::available_threads() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) {
    return static_cast<unsigned>(std::max(1, CPU_COUNT(&set)));
  }
  return std::max(1U, std::thread::hardware_concurrency());
}

ThreadPool::ThreadPool(unsigned threads) : size_(threads == 0 ? available_threads() : threads) {
  try {
    for (unsigned worker = 1; worker < size_; ++worker) {
      threads_.emplace_back([this, worker] { serve(worker); });
    }
  } catch (const std::exception&) {
    stop();
    throw Error(ErrorCode::limit_exceeded,
                "the system starts no more than " + std::to_string(threads_.size() + 1) +
                    " threads of the " + std::to_string(size_) +
                    " that are asked for; give fewer by --threads",
                "--threads");
  }
}

ThreadPool::~ThreadPool() { stop(); }

void ThreadPool::stop() noexcept {
  stopping_.store(true, std::memory_order_relaxed);
  epoch_.fetch_add(1, std::memory_order_release);
  epoch_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ThreadPool::parallel_for(std::size_t count, std::size_t grain, Body body) {
  if (count == 0) return;
  grain = std::max<std::size_t>(grain, 1);
  if (size_ == 1 || count <= grain) {
    for (std::size_t begin = 0; begin < count; begin += grain) {
      body(begin, std::min(count, begin + grain), 0);
    }
    return;
  }
  start(body, count, grain, false);
}

void ThreadPool::run(FunctionRef<void(Team&, unsigned)> body) {
  Team team(size_);
  if (size_ == 1) {
    body(team, 0);
    return;
  }
  std::mutex mutex;
  std::exception_ptr first;
  const auto each = [&](std::size_t, std::size_t, unsigned worker) {
    try {
      body(team, worker);
    } catch (...) {
      // Recorded before the others are released: what they throw then is only a consequence.
      {
        const std::lock_guard lock(mutex);
        if (!first) first = std::current_exception();
      }
      team.abandon();
    }
  };
  start(each, 0, 1, true);
  if (first) std::rethrow_exception(first);
}

void ThreadPool::start(Body body, std::size_t count, std::size_t grain, bool everyone) {
  const std::lock_guard lock(loop_mutex_);
  body_ = &body;
  count_ = count;
  grain_ = grain;
  everyone_ = everyone;
  failure_ = nullptr;
  next_.store(0, std::memory_order_relaxed);
  busy_.store(size_ - 1, std::memory_order_relaxed);
  epoch_.fetch_add(1, std::memory_order_release);
  epoch_.notify_all();
  work(0);
  for (std::uint32_t busy = busy_.load(std::memory_order_acquire); busy != 0;
       busy = busy_.load(std::memory_order_acquire)) {
    wait_for_change(busy_, busy);
  }
  if (failure_) std::rethrow_exception(failure_);
}

void ThreadPool::serve(unsigned worker) {
  std::uint32_t seen = 0;
  for (;;) {
    wait_for_change(epoch_, seen);
    seen = epoch_.load(std::memory_order_acquire);
    if (stopping_.load(std::memory_order_relaxed)) return;
    work(worker);
    if (busy_.fetch_sub(1, std::memory_order_acq_rel) == 1) busy_.notify_one();
  }
}

void ThreadPool::work(unsigned worker) {
  if (everyone_) {
    attempt(0, 0, worker);
    return;
  }
  for (;;) {
    const std::size_t begin = next_.fetch_add(grain_, std::memory_order_relaxed);
    if (begin >= count_) return;
    attempt(begin, std::min(count_, begin + grain_), worker);
  }
}

void ThreadPool::attempt(std::size_t begin, std::size_t end, unsigned worker) {
  try {
    (*body_)(begin, end, worker);
  } catch (...) {
    const std::lock_guard lock(failure_mutex_);
    if (!failure_) failure_ = std::current_exception();
    next_.store(count_, std::memory_order_relaxed);
  }
}

}  // namespace lore
