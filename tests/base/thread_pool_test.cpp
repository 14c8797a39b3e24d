#include "base/thread_pool.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <stdexcept>

namespace lore {
namespace {

TEST(ThreadPool, VisitsEveryItemOnce) {
  for (const unsigned threads : {1U, 2U, 3U, 8U}) {
    ThreadPool pool(threads);
    for (const std::size_t count : {0UL, 1UL, 7UL, 1000UL}) {
      for (const std::size_t grain : {1UL, 3UL, 2000UL}) {
        std::vector<std::atomic<int>> visits(count);
        pool.parallel_for(count, grain, [&](std::size_t begin, std::size_t end, unsigned worker) {
          EXPECT_LT(worker, threads);
          EXPECT_LE(end - begin, grain);
          for (std::size_t i = begin; i < end; ++i) ++visits[i];
        });
        for (const auto& visit : visits) EXPECT_EQ(visit, 1);
      }
    }
  }
}

TEST(ThreadPool, RethrowsTheFirstExceptionAndWorksOn) {
  ThreadPool pool(3);
  EXPECT_THROW(pool.parallel_for(100, 1,
                                 [](std::size_t begin, std::size_t, unsigned) {
                                   if (begin == 42) throw std::runtime_error("42");
                                 }),
               std::runtime_error);
  std::atomic<int> sum{0};
  pool.parallel_for(10, 1, [&](std::size_t begin, std::size_t, unsigned) {
    sum += static_cast<int>(begin);
  });
  EXPECT_EQ(sum, 45);
}

TEST(ThreadPool, ManyShortLoopsFromSeveralThreads) {
  ThreadPool pool(3);
  std::atomic<int> total{0};
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i) {
    callers.emplace_back([&] {
      for (int loop = 0; loop < 500; ++loop) {
        pool.parallel_for(8, 1, [&](std::size_t, std::size_t, unsigned) { ++total; });
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(total, 4 * 500 * 8);
}

}  // namespace
}  // namespace lore
