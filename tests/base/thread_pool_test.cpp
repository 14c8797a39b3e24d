#include "base/thread_pool.hpp"

#include <gtest/gtest.h>

#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>

#include "base/team.hpp"
#include "lore/error.hpp"

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
  pool.parallel_for(
      10, 1, [&](std::size_t begin, std::size_t, unsigned) { sum += static_cast<int>(begin); });
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

TEST(ThreadPool, ATeamSeesWhatTheLoopBeforeWrote) {
  for (const unsigned threads : {1U, 2U, 3U, 5U}) {
    ThreadPool pool(threads);
    std::vector<int> first(100);
    std::vector<int> second(100);
    std::atomic<unsigned> members{0};
    pool.run([&](Team& team, unsigned worker) {
      EXPECT_LT(worker, threads);
      ++members;
      for (int round = 1; round <= 200; ++round) {
        team.loop(100, 7, [&](std::size_t begin, std::size_t end) {
          for (std::size_t i = begin; i < end; ++i) first[i] = second[99 - i] + 1;
        });
        team.loop(100, 3, [&](std::size_t begin, std::size_t end) {
          for (std::size_t i = begin; i < end; ++i) second[i] = first[99 - i];
        });
      }
    });
    EXPECT_EQ(members, threads);
    EXPECT_EQ(second, std::vector<int>(100, 200));
  }
}

TEST(ThreadPool, AMemberThatComesAfterAFailureDoesNotWait) {
  ThreadPool pool(3);
  EXPECT_THROW(pool.run([](Team& team, unsigned worker) {
    if (worker == 1) throw std::runtime_error("one");
    if (worker == 2) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    team.barrier();
  }),
               std::runtime_error);
}

TEST(ThreadPool, AFailingMemberReleasesTheTeam) {
  ThreadPool pool(3);
  EXPECT_THROW(pool.run([](Team& team, unsigned worker) {
    if (worker == 1) throw std::runtime_error("one");
    team.barrier();
    team.barrier();
  }),
               std::runtime_error);
  std::atomic<int> calls{0};
  pool.run([&](Team&, unsigned) { ++calls; });
  EXPECT_EQ(calls, 3);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(ThreadPool, MoreThreadsThanTheSystemHasRoomForAreAnErrorAndNotTheEnd) {
  const auto ask_for_too_many = [] {
    rlimit little{};
    little.rlim_cur = little.rlim_max = rlim_t{1} << 28;
    ::setrlimit(RLIMIT_AS, &little);
    try {
      const ThreadPool pool(1'000'000);
    } catch (const Error& error) {
      const bool named = std::string(error.what()).find("--threads") != std::string::npos;
      std::_Exit(error.code() == ErrorCode::limit_exceeded && named ? 0 : 1);
    }
    std::_Exit(2);
  };
  EXPECT_EXIT(ask_for_too_many(), testing::ExitedWithCode(0), "");
}
#endif

}  // namespace
}  // namespace lore
