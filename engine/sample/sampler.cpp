#include "engine/sample/sampler.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <deque>
#include <limits>
#include <numeric>
#include <string>
#include <unordered_map>

#include "engine/sample/exponential.hpp"
#include "engine/sample/random.hpp"
#include "lore/error.hpp"

namespace lore::engine {
namespace {

struct Candidate {
  float logit;
  TokenId id;
};

/// The order of choice: larger logits first, ties to the lower id.
bool better(const Candidate& a, const Candidate& b) {
  return a.logit != b.logit ? a.logit > b.logit : a.id < b.id;
}

bool worse(const Candidate& a, const Candidate& b) { return better(b, a); }

void require_range(bool holds, const char* option, const char* range) {
  if (holds) return;
  throw Error(ErrorCode::invalid_argument, std::string(option) + " must be " + range, option);
}

void check(std::span<const float> logits) {
  bool any = false;
  for (const float logit : logits) {
    if (std::isnan(logit) || logit == std::numeric_limits<float>::infinity()) {
      throw Error(ErrorCode::corrupt,
                  "the model computed a logit that is no number; its file is probably damaged");
    }
    any = any || logit != -std::numeric_limits<float>::infinity();
  }
  if (!any) {
    throw Error(ErrorCode::invalid_argument, "no token may be chosen: all of them are forbidden");
  }
}

TokenId greedy(std::span<const float> logits) {
  return static_cast<TokenId>(std::max_element(logits.begin(), logits.end()) - logits.begin());
}

std::vector<Candidate> allowed(std::span<const float> logits) {
  std::vector<Candidate> candidates;
  candidates.reserve(logits.size());
  for (std::size_t i = 0; i < logits.size(); ++i) {
    if (logits[i] == -std::numeric_limits<float>::infinity()) continue;
    candidates.push_back({logits[i], static_cast<TokenId>(i)});
  }
  return candidates;
}

double probability_weight(float logit, float best) {
  return portable_exp(static_cast<double>(logit) - static_cast<double>(best));
}

void keep_top_k(std::vector<Candidate>& candidates, std::int32_t top_k) {
  const auto k = static_cast<std::size_t>(top_k);
  if (k == 0 || k >= candidates.size()) return;
  const auto end = candidates.begin() + static_cast<std::ptrdiff_t>(k);
  std::nth_element(candidates.begin(), end, candidates.end(), better);
  candidates.erase(end, candidates.end());
}

/// Leaves the candidates sorted, best first. A heap gives them up one by one, so a peaked
/// distribution over a large vocabulary is not sorted whole.
void keep_top_p(std::vector<Candidate>& candidates, float top_p) {
  const auto best = *std::min_element(candidates.begin(), candidates.end(), better);
  double total = 0;
  for (const Candidate& candidate : candidates) {
    total += probability_weight(candidate.logit, best.logit);
  }
  std::make_heap(candidates.begin(), candidates.end(), worse);
  double mass = 0;
  auto heap_end = candidates.end();
  const bool all = top_p >= 1;
  do {  // the best stays in any case
    std::pop_heap(candidates.begin(), heap_end, worse);
    --heap_end;
    mass += probability_weight(heap_end->logit, best.logit);
  } while (heap_end != candidates.begin() && (all || mass < static_cast<double>(top_p) * total));
  candidates.erase(candidates.begin(), heap_end);
  std::reverse(candidates.begin(), candidates.end());
}

void keep_min_p(std::vector<Candidate>& sorted, float min_p) {
  const float best = sorted.front().logit;
  const auto below = std::find_if(sorted.begin(), sorted.end(), [&](const Candidate& candidate) {
    return probability_weight(candidate.logit, best) < static_cast<double>(min_p);
  });
  sorted.erase(std::max(below, sorted.begin() + 1), sorted.end());
}

TokenId draw(const std::vector<Candidate>& sorted, float temperature, double uniform) {
  const double best = static_cast<double>(sorted.front().logit);
  std::vector<double> ends(sorted.size());  // running sums of the weights
  double total = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const double distance = static_cast<double>(sorted[i].logit) - best;
    total += portable_exp(distance / static_cast<double>(temperature));
    ends[i] = total;
  }
  const auto chosen = std::upper_bound(ends.begin(), ends.end(), uniform * total);
  const auto index =
      std::min<std::ptrdiff_t>(chosen - ends.begin(), static_cast<std::ptrdiff_t>(ends.size()) - 1);
  return sorted[static_cast<std::size_t>(index)].id;
}

/// log of the sum of exp, for log-probabilities.
double log_sum_exp(std::span<const float> logits) {
  const double best = static_cast<double>(*std::max_element(logits.begin(), logits.end()));
  double total = 0;
  for (const float logit : logits) total += std::exp(static_cast<double>(logit) - best);
  return best + std::log(total);
}

}  // namespace

void validate(const SamplingOptions& options) {
  const auto within = [](float value, float low, float high) {
    return value >= low && value <= high;  // false for NaN
  };
  require_range(within(options.temperature, 0, 100), "temperature", "from 0 to 100");
  require_range(options.top_k >= 0, "top_k", "0 (all) or more");
  require_range(within(options.top_p, 0, 1) && options.top_p > 0, "top_p", "above 0 and at most 1");
  require_range(within(options.min_p, 0, 1), "min_p", "from 0 to 1");
  require_range(within(options.repeat_penalty, 0.01F, 100), "repeat_penalty", "from 0.01 to 100");
  require_range(within(options.frequency_penalty, -2, 2), "frequency_penalty", "from -2 to 2");
  require_range(within(options.presence_penalty, -2, 2), "presence_penalty", "from -2 to 2");
  require_range(options.penalty_window >= 0, "penalty_window", "0 (none) or more");
}

struct Sampler::State {
  explicit State(const SamplingOptions& given) : options(given), random(given.seed) {}

  bool penalizes() const {
    return options.repeat_penalty != 1 || options.frequency_penalty != 0 ||
           options.presence_penalty != 0;
  }

  void penalize(std::span<float> logits) const {
    for (const auto& [id, count] : counts) {
      if (static_cast<std::size_t>(id) >= logits.size()) continue;
      float& logit = logits[static_cast<std::size_t>(id)];
      if (logit == -std::numeric_limits<float>::infinity()) continue;
      logit = logit > 0 ? logit / options.repeat_penalty : logit * options.repeat_penalty;
      logit -= static_cast<float>(count) * options.frequency_penalty + options.presence_penalty;
      // A penalty neither forbids a token nor makes it certain, however large the logit was.
      logit = std::clamp(logit, std::numeric_limits<float>::lowest(),
                         std::numeric_limits<float>::max());
    }
  }

  SamplingOptions options;
  Random random;
  std::deque<TokenId> recent;                        // the last penalty_window tokens
  std::unordered_map<TokenId, std::int32_t> counts;  // of each of them
};

Sampler::Sampler(const SamplingOptions& options) {
  validate(options);
  state_ = std::make_unique<State>(options);
}
Sampler::~Sampler() = default;
Sampler::Sampler(Sampler&&) noexcept = default;
Sampler& Sampler::operator=(Sampler&&) noexcept = default;

void Sampler::accept(TokenId token) {
  State& state = *state_;
  const auto window = static_cast<std::size_t>(state.options.penalty_window);
  if (token < 0 || window == 0 || !state.penalizes()) return;
  state.recent.push_back(token);
  ++state.counts[token];
  if (state.recent.size() <= window) return;
  const auto oldest = state.counts.find(state.recent.front());
  if (--oldest->second == 0) state.counts.erase(oldest);
  state.recent.pop_front();
}

TokenId Sampler::sample(std::span<float> logits) {
  State& state = *state_;
  check(logits);
  state.penalize(logits);
  if (state.options.temperature == 0) return greedy(logits);
  std::vector<Candidate> candidates = allowed(logits);
  keep_top_k(candidates, state.options.top_k);
  keep_top_p(candidates, state.options.top_p);
  keep_min_p(candidates, state.options.min_p);
  return draw(candidates, state.options.temperature, state.random.uniform());
}

std::vector<TokenLogprob> top_logprobs(std::span<const float> logits, std::size_t count) {
  if (logits.empty()) return {};
  const double normalizer = log_sum_exp(logits);
  std::vector<TokenId> ids(logits.size());
  std::iota(ids.begin(), ids.end(), TokenId{0});
  const std::size_t kept = std::min(count, ids.size());
  std::partial_sort(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(kept), ids.end(),
                    [&](TokenId a, TokenId b) {
                      const float left = logits[static_cast<std::size_t>(a)];
                      const float right = logits[static_cast<std::size_t>(b)];
                      return left != right ? left > right : a < b;
                    });
  std::vector<TokenLogprob> result;
  for (std::size_t i = 0; i < kept; ++i) {
    const double logit = static_cast<double>(logits[static_cast<std::size_t>(ids[i])]);
    result.push_back({ids[i], static_cast<float>(logit - normalizer)});
  }
  return result;
}

float logprob_of(std::span<const float> logits, TokenId token) {
  if (token < 0 || static_cast<std::size_t>(token) >= logits.size()) {
    throw Error(ErrorCode::invalid_argument,
                "token " + std::to_string(token) + " is not in the vocabulary");
  }
  const double logit = static_cast<double>(logits[static_cast<std::size_t>(token)]);
  return static_cast<float>(logit - log_sum_exp(logits));
}

}  // namespace lore::engine
