// Measures the kernels of a table against what the processor can do at most.
//
//   kernel_bench [table] [threads] [many] [few] [attention] [TYPE …]
//
// Without parts all are run, without types all of them.
// Prints one line a case. Times are CPU times of the slowest thread, so that another process on the
// machine matters less; memory bandwidth is shared with it all the same.
#include <time.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "engine/backend/cpu/kernels/pack.hpp"
#include "engine/backend/cpu/kernels/select.hpp"
#include "engine/backend/cpu/limits.hpp"
#include "tests/bench/kernels/product_case.hpp"

namespace lore::engine::cpu {
namespace {

double seconds(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// Runs body(thread) on every thread; the best of at least five runs and 0.3 s. `clock` is the
/// thread's CPU time or the wall.
double best_seconds(std::size_t threads, clockid_t clock,
                    const std::function<void(std::size_t)>& body) {
  double best = 1e9;
  const double until = seconds(CLOCK_MONOTONIC) + 0.3;
  for (int repeat = 0; repeat < 5 || seconds(CLOCK_MONOTONIC) < until; ++repeat) {
    std::vector<std::thread> pool;
    std::vector<double> taken(threads);
    const double begin = seconds(CLOCK_MONOTONIC);
    for (std::size_t t = 0; t < threads; ++t) {
      pool.emplace_back([&, t] {
        const double start = seconds(clock);
        body(t);
        taken[t] = seconds(clock) - start;
      });
    }
    for (std::thread& thread : pool) thread.join();
    double worst = seconds(CLOCK_MONOTONIC) - begin;
    if (clock == CLOCK_THREAD_CPUTIME_ID) {
      worst = 0;
      for (const double t : taken) worst = t > worst ? t : worst;
    }
    best = worst < best ? worst : best;
  }
  return best;
}

MachineLimits measure_peaks(const KernelTable& table, std::size_t threads) {
  ThreadPool pool(static_cast<unsigned>(threads));
  const MachineLimits limits = measure_limits(table, pool);
  std::printf("%zu threads: int8 %.3f TOPS, bf16 %.3f TFLOPS, f32 %.3f TFLOPS, read %.1f GB/s\n",
              threads, limits.int8 * 1e-12, limits.bf16 * 1e-12, limits.f32 * 1e-12,
              limits.bytes * 1e-9);
  return limits;
}

/// Runs the panels of a thread's share.
void run_share(ProductCase& product, std::size_t thread, std::size_t threads, Buffer& scratch) {
  product.run(product.panels() * thread / threads, product.panels() * (thread + 1) / threads,
              scratch.as<std::uint8_t>());
}

std::vector<Buffer> scratch_of(const KernelTable& table, std::size_t k, std::size_t threads) {
  std::vector<Buffer> scratch;
  for (std::size_t i = 0; i < threads; ++i) scratch.emplace_back(table.matmul_scratch_bytes(k));
  return scratch;
}

std::set<std::string> asked_types;

struct NamedType {
  const char* name;
  DType type;
};
constexpr NamedType kTypes[] = {{"Q4_0", DType::q4_0}, {"Q4_1", DType::q4_1}, {"Q5_0", DType::q5_0},
                                {"Q8_0", DType::q8_0}, {"Q2_K", DType::q2_k}, {"Q3_K", DType::q3_k},
                                {"Q4_K", DType::q4_k}, {"Q5_K", DType::q5_k}, {"Q6_K", DType::q6_k},
                                {"F16", DType::f16},   {"BF16", DType::bf16}, {"F32", DType::f32}};

double peak_for(const MachineLimits& peaks, ActivationFormat format) {
  switch (format) {
    case ActivationFormat::q8:
      return peaks.int8;
    case ActivationFormat::bf16:
      return peaks.bf16;
    case ActivationFormat::f32:
      break;
  }
  return peaks.f32;
}

void measure_many(const KernelTable& table, const MachineLimits& peaks, std::size_t threads,
                  std::size_t rows, std::size_t n, std::size_t k) {
  for (const NamedType& named : kTypes) {
    if (!asked_types.empty() && asked_types.count(named.name) == 0) continue;
    if (block_shape(named.type).values == 256 && k % 256 != 0) continue;
    ProductCase product(table, Regime::many, named.type, rows, n, k);
    std::vector<Buffer> scratch = scratch_of(table, k, threads);
    const double time = best_seconds(threads, CLOCK_THREAD_CPUTIME_ID, [&](std::size_t t) {
      run_share(product, t, threads, scratch[t]);
    });
    const double rate = 2.0 * static_cast<double>(rows * n * k) / time;
    std::printf("many %-5s rows %4zu n %6zu k %5zu: %7.3f TOPS  %5.1f %% of peak\n", named.name,
                rows, n, k, rate * 1e-12, 100 * rate / peak_for(peaks, product.format()));
  }
}

void measure_few(const KernelTable& table, const MachineLimits& peaks, std::size_t threads,
                 std::size_t rows, std::size_t n, std::size_t k) {
  for (const NamedType& named : kTypes) {
    if (!asked_types.empty() && asked_types.count(named.name) == 0) continue;
    if (block_shape(named.type).values == 256 && k % 256 != 0) continue;
    // As many matrices as do not fit any cache, as a model's layers do not.
    const std::size_t bytes = packed_bytes(named.type, n, k);
    const std::size_t copies = 1 + (std::size_t{192} << 20) / bytes;
    std::vector<std::unique_ptr<ProductCase>> cases;
    for (std::size_t i = 0; i < copies; ++i) {
      cases.push_back(std::make_unique<ProductCase>(table, Regime::few, named.type, rows, n, k));
    }
    std::vector<Buffer> scratch = scratch_of(table, k, threads);
    const double time = best_seconds(threads, CLOCK_THREAD_CPUTIME_ID, [&](std::size_t t) {
      for (auto& product : cases) run_share(*product, t, threads, scratch[t]);
    });
    const double rate = static_cast<double>(bytes * copies) / time;
    std::printf("few  %-5s rows %4zu n %6zu k %5zu: %7.2f GB/s  %5.1f %% of read bandwidth\n",
                named.name, rows, n, k, rate * 1e-9, 100 * rate / peaks.bytes);
  }
}

void measure_attention(const KernelTable& table, const MachineLimits& peaks, std::size_t head_dim,
                       std::size_t rows, CacheFormat format) {
  const std::size_t element = format == CacheFormat::f32 ? 4 : 2;
  std::vector<float> queries(rows * head_dim, 0.01F);
  std::vector<std::uint8_t> keys(kKeyBlock * head_dim * element);
  std::vector<float> accumulator(rows * head_dim);
  std::vector<float> maximum(rows, -1.0F);
  std::vector<float> sum(rows);
  std::vector<std::int32_t> begin(rows);
  std::vector<std::int32_t> end(rows, static_cast<std::int32_t>(kKeyBlock));
  std::vector<float> scratch(table.attention_scratch_floats(head_dim));
  AttentionBlock b{
      queries.data(),     head_dim,       rows,       keys.data(), head_dim * element, keys.data(),
      head_dim * element, kKeyBlock,      head_dim,   format,      begin.data(),       end.data(),
      accumulator.data(), maximum.data(), sum.data(), 0,           scratch.data()};
  const double operations = 4.0 * static_cast<double>(rows * kKeyBlock * head_dim);
  const int repeats = static_cast<int>(2e8 / operations) + 100;
  const double time = best_seconds(1, CLOCK_THREAD_CPUTIME_ID, [&](std::size_t) {
    for (int i = 0; i < repeats; ++i) table.attention_block(b);
  });
  const double work = operations * repeats;
  std::printf("attention %s rows %3zu dim %3zu: %.4f TFLOPS  %5.1f %% of f32 peak\n",
              format == CacheFormat::f32 ? "f32" : "f16", rows, head_dim, work / time * 1e-12,
              100 * work / time / peaks.f32);
}

int run(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "auto";
  const std::size_t threads = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 1;
  std::set<std::string> parts;
  for (int i = 3; i < argc; ++i) {
    const std::string word = argv[i];
    (word == "many" || word == "few" || word == "attention" ? parts : asked_types).insert(word);
  }
  const auto asked = [&](const char* part) { return parts.empty() || parts.count(part) != 0; };
  const KernelTable& table = select_kernels(simd::detect_cpu_features(), name);
  std::printf("table %s\n", table.name);
  const MachineLimits peaks = measure_peaks(table, threads);
  if (asked("many")) {
    measure_many(table, peaks, threads, 512, 1536, 384);
    measure_many(table, peaks, threads, 512, 384, 1536);
    measure_many(table, peaks, threads, 512, 2048, 1536);
    measure_many(table, peaks, threads, 512, 512, 8960);
  }
  if (asked("few")) {
    measure_few(table, peaks, threads, 1, 8960, 1536);
    measure_few(table, peaks, threads, 1, 1536, 8960);
    measure_few(table, peaks, threads, 8, 8960, 1536);
  }
  if (asked("attention")) {
    const MachineLimits one = measure_peaks(table, 1);
    for (const std::size_t rows : {1U, 6U, 64U, 256U}) {
      for (const std::size_t dim : {32U, 64U, 128U}) {
        measure_attention(table, one, dim, rows, CacheFormat::f32);
        measure_attention(table, one, dim, rows, CacheFormat::f16);
      }
    }
  }
  return 0;
}

}  // namespace
}  // namespace lore::engine::cpu

int main(int argc, char** argv) { return lore::engine::cpu::run(argc, argv); }
