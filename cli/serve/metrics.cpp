#include "cli/serve/metrics.hpp"

#include <sstream>
#include <string_view>

namespace lore::cli::serve {
namespace {

void describe(std::ostream& out, std::string_view name, std::string_view type,
              std::string_view help) {
  out << "# HELP " << name << ' ' << help << "\n# TYPE " << name << ' ' << type << '\n';
}

}  // namespace

void Metrics::count_request(const std::string& route, int status, double seconds) {
  const std::lock_guard lock(mutex_);
  Route& counted = routes_[route];
  ++counted.by_status[status];
  counted.seconds += seconds;
  std::size_t bucket = 0;
  while (bucket < kBounds.size() && seconds > kBounds[bucket]) ++bucket;
  ++counted.buckets[bucket];
}

void Metrics::count_tokens(std::size_t prompt, std::size_t reused, std::size_t generated) {
  const std::lock_guard lock(mutex_);
  counters_["lore_prompt_tokens_total"] += prompt;
  counters_["lore_prompt_tokens_reused_total"] += reused;
  counters_["lore_generated_tokens_total"] += generated;
}

void Metrics::count_embedded(std::size_t texts, std::size_t tokens) {
  const std::lock_guard lock(mutex_);
  counters_["lore_embedded_texts_total"] += texts;
  counters_["lore_embedded_tokens_total"] += tokens;
}

void Metrics::count_answer(std::string_view status) {
  const std::lock_guard lock(mutex_);
  ++counters_["lore_answers_total{status=\"" + std::string(status) + "\"}"];
}

std::string Metrics::text(std::size_t running) const {
  const std::lock_guard lock(mutex_);
  std::ostringstream out;
  const std::chrono::duration<double> up = std::chrono::steady_clock::now() - start_;
  describe(out, "lore_uptime_seconds", "gauge", "Time since the server was started.");
  out << "lore_uptime_seconds " << up.count() << '\n';
  describe(out, "lore_requests_running", "gauge", "Requests being computed or waiting for it.");
  out << "lore_requests_running " << running << '\n';
  describe(out, "lore_requests_total", "counter", "Requests answered.");
  for (const auto& [name, route] : routes_) {
    for (const auto& [status, count] : route.by_status) {
      out << "lore_requests_total{route=\"" << name << "\",status=\"" << status << "\"} " << count
          << '\n';
    }
  }
  describe(out, "lore_request_seconds", "histogram", "Time from a request to its answer's end.");
  for (const auto& [name, route] : routes_) {
    std::uint64_t below = 0;
    for (std::size_t i = 0; i < route.buckets.size(); ++i) {
      below += route.buckets[i];
      out << "lore_request_seconds_bucket{route=\"" << name << "\",le=\"";
      if (i < kBounds.size()) {
        out << kBounds[i];
      } else {
        out << "+Inf";
      }
      out << "\"} " << below << '\n';
    }
    out << "lore_request_seconds_sum{route=\"" << name << "\"} " << route.seconds << '\n'
        << "lore_request_seconds_count{route=\"" << name << "\"} " << below << '\n';
  }
  std::string family;
  for (const auto& [name, count] : counters_) {
    const std::string bare = name.substr(0, name.find('{'));
    if (bare != family) describe(out, bare, "counter", "See the guide to serving.");
    family = bare;
    out << name << ' ' << count << '\n';
  }
  return out.str();
}

}  // namespace lore::cli::serve
