#include "engine/backend/cpu/limits.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <vector>

#include "base/function_ref.hpp"
#include "base/processor.hpp"
#include "base/team.hpp"
#include "engine/tensor/buffer.hpp"

namespace lore::engine::cpu {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kLine = 64;
constexpr std::size_t kLeastBuffer = std::size_t{256} << 20;
constexpr std::size_t kMostBuffer = std::size_t{1} << 30;
constexpr std::size_t kFirstRounds = 1024;
constexpr double kRunSeconds = 0.004;  // long against a clock's reading, short against a time slice
constexpr int kRuns = 40;
constexpr int kReads = 6;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Seconds of the slowest thread, from the moment when all are there.
double seconds_together(ThreadPool& pool, FunctionRef<void(unsigned worker)> body) {
  std::vector<double> seconds(pool.size());
  pool.run([&](Team& team, unsigned worker) {
    team.barrier();
    const Clock::time_point start = Clock::now();
    body(worker);
    seconds[worker] = seconds_since(start);
  });
  return *std::max_element(seconds.begin(), seconds.end());
}

/// Operations a second of all threads.
double rate_of(double (*count)(std::size_t rounds), ThreadPool& pool) {
  if (count == nullptr) return 0;
  std::vector<double> operations(pool.size());
  std::size_t rounds = kFirstRounds;
  const auto run = [&] {
    return seconds_together(pool, [&](unsigned worker) { operations[worker] = count(rounds); });
  };
  while (run() < kRunSeconds && rounds < kMostLimitRounds) rounds *= 2;
  double best = 0;
  for (int i = 0; i < kRuns; ++i) {
    const double seconds = run();
    double all = 0;
    for (const double some : operations) all += some;
    best = std::max(best, all / seconds);
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
    const double seconds = seconds_together(
        pool, [&](unsigned worker) { kernels.read_lines(data + worker * lines * kLine, lines); });
    best = std::max(best, static_cast<double>(lines * kLine * pool.size()) / seconds);
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
