#include "index/vectors/recall_sample.hpp"

#include "index/vectors/list_index.hpp"

namespace lore::index {
namespace {

constexpr std::size_t kQueries = 64;

}  // namespace

RecallSample::RecallSample(std::size_t dimension, std::size_t count)
    : dimension_(dimension), step_(std::max<std::size_t>(1, count / kQueries)) {}

void RecallSample::offer(std::span<const std::int64_t> ids, std::span<const float> rows) {
  for (std::size_t i = 0; i < ids.size(); ++i, ++position_) {
    if (position_ % step_ != 0 || nearest_.size() == kQueries) continue;
    const auto row = rows.subspan(i * dimension_, dimension_);
    queries_.insert(queries_.end(), row.begin(), row.end());
    nearest_.emplace_back(kNearest);
  }
}

void RecallSample::compare(std::span<const std::int64_t> ids, std::span<const float> rows) {
  const simd::VectorTable& ops = simd::best_vector_table();
  scores_.resize(ids.size());
  for (std::size_t q = 0; q < nearest_.size(); ++q) {
    ops.scan_f32(rows.data(), ids.size(), dimension_, queries_.data() + q * dimension_,
                 scores_.data());
    for (std::size_t i = 0; i < ids.size(); ++i) nearest_[q].add(ids[i], scores_[i]);
  }
}

double RecallSample::measure(const ListIndex& index) const {
  std::size_t wanted = 0;
  std::size_t found = 0;
  for (std::size_t q = 0; q < nearest_.size(); ++q) {
    const std::vector<Neighbour> candidates =
        index.search(std::span(queries_).subspan(q * dimension_, dimension_), kCandidates);
    for (const TopList::Entry& entry : nearest_[q].sorted()) {
      ++wanted;
      found += std::any_of(candidates.begin(), candidates.end(),
                           [&](const Neighbour& candidate) { return candidate.id == entry.id; });
    }
  }
  return wanted == 0 ? 1 : static_cast<double>(found) / static_cast<double>(wanted);
}

}  // namespace lore::index
