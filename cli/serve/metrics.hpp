// Counters that Prometheus reads.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace lore::cli::serve {

/// Thread safety: any thread.
class Metrics {
 public:
  void count_request(const std::string& route, int status, double seconds);
  void count_tokens(std::size_t prompt, std::size_t reused, std::size_t generated);
  void count_embedded(std::size_t texts, std::size_t tokens);
  void count_answer(std::string_view status);

  /// In Prometheus' text format. `running`, `waiting`: requests at this moment.
  std::string text(std::size_t running) const;

 private:
  static constexpr std::array<double, 9> kBounds = {0.005, 0.02, 0.1, 0.5, 1, 2, 5, 20, 60};
  struct Route {
    std::map<int, std::uint64_t> by_status;
    std::array<std::uint64_t, kBounds.size() + 1> buckets{};
    double seconds = 0;
  };

  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  mutable std::mutex mutex_;
  std::map<std::string, Route> routes_;
  std::map<std::string, std::uint64_t> counters_;
};

}  // namespace lore::cli::serve
