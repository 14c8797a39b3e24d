#include "engine/backend/cpu/limits.hpp"

#include <time.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/function_ref.hpp"
#include "base/processor.hpp"
#include "base/team.hpp"
#include "engine/tensor/buffer.hpp"

namespace lore::engine::cpu {
namespace {

constexpr std::size_t kLine = 64;
constexpr std::size_t kLeastBuffer = std::size_t{256} << 20;
constexpr std::size_t kMostBuffer = std::size_t{1} << 30;
constexpr std::size_t kFirstRounds = 1024;
constexpr double kRunSeconds = 0.004;  // long against a clock's reading, short against a time slice
constexpr int kRuns = 40;
constexpr int kReads = 6;

double seconds_of(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// Seconds that body(worker) takes on each thread; all begin together.
std::vector<double> time_together(ThreadPool& pool, clockid_t clock,
                                  FunctionRef<void(unsigned worker)> body) {
  std::vector<double> seconds(pool.size());
  pool.run([&](Team& team, unsigned worker) {
    team.barrier();
    const double start = seconds_of(clock);
    body(worker);
    seconds[worker] = seconds_of(clock) - start;
  });
  return seconds;
}

/// Operations a second of all threads.
double rate_of(double (*count)(std::size_t rounds), ThreadPool& pool) {
  if (count == nullptr) return 0;
  std::vector<double> operations(pool.size());
  std::size_t rounds = kFirstRounds;
  const auto run = [&] {
    return time_together(pool, CLOCK_THREAD_CPUTIME_ID,
                         [&](unsigned worker) { operations[worker] = count(rounds); });
  };
  while (run().front() < kRunSeconds && rounds < kMostLimitRounds) rounds *= 2;
  double best = 0;
  for (int i = 0; i < kRuns; ++i) {
    const std::vector<double> seconds = run();
    double rate = 0;
    for (unsigned worker = 0; worker < pool.size(); ++worker) {
      rate += operations[worker] / seconds[worker];
    }
    best = std::max(best, rate);
  }
  return best;
}

/// Bytes a second that all threads read, each its own part of a large buffer.
double read_rate(const KernelTable& kernels, ThreadPool& pool) {
  const std::size_t bytes =
      std::clamp<std::size_t>(4 * last_level_cache_bytes(), kLeastBuffer, kMostBuffer);
  require_memory(bytes, "measurements of memory");
  Buffer buffer(bytes);
  const std::size_t lines = bytes / kLine / pool.size();  // of each thread
  auto* data = buffer.as<std::uint8_t>();
  // Untouched pages would all be the same one, in a cache.
  pool.run([&](Team&, unsigned worker) {
    std::memset(data + worker * lines * kLine, 1, lines * kLine);
  });
  double best = 0;
  for (int i = 0; i < kReads; ++i) {
    // By the clock on the wall: threads that take turns would each have all of the memory's rate.
    const std::vector<double> seconds = time_together(pool, CLOCK_MONOTONIC, [&](unsigned worker) {
      kernels.read_lines(data + worker * lines * kLine, lines);
    });
    const double slowest = *std::max_element(seconds.begin(), seconds.end());
    best = std::max(best, static_cast<double>(lines * kLine * pool.size()) / slowest);
  }
  return best;
}

}  // namespace

MachineLimits measure_limits(const KernelTable& kernels, ThreadPool& pool) {
  MachineLimits limits;
  limits.kernels = kernels.name;
  limits.int8 = rate_of(kernels.count_int8, pool);
  limits.bf16 = rate_of(kernels.count_bf16, pool);
  limits.f32 = rate_of(kernels.count_f32, pool);
  limits.bytes = read_rate(kernels, pool);
  return limits;
}

}  // namespace lore::engine::cpu
