// How much an approximate index finds of what an exact search finds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/simd/vector_ops.hpp"
#include "index/vectors/top_list.hpp"

namespace lore::index {

class ListIndex;

/// Takes some of the vectors as queries, finds their nearest by exact search, and compares.
///
/// Thread safety: one thread at a time.
class RecallSample {
 public:
  static constexpr std::size_t kNearest = 20;
  /// What a search asks the index for before it scores with the stored vectors.
  static constexpr std::size_t kCandidates = 2 * kNearest + 16;

  RecallSample(std::size_t dimension, std::size_t count);

  /// First pass, in blocks: picks the queries. ids: [n]; rows: [n, dimension].
  void offer(std::span<const std::int64_t> ids, std::span<const float> rows);
  /// Second pass, in blocks: the exact search.
  void compare(std::span<const std::int64_t> ids, std::span<const float> rows);
  /// Share of the exact results that `index` finds, in [0, 1].
  double measure(const ListIndex& index) const;

 private:
  std::size_t dimension_;
  std::size_t step_;
  std::size_t position_ = 0;
  std::vector<float> queries_;    // [queries, dimension]
  std::vector<TopList> nearest_;  // [queries]
  std::vector<float> scores_;     // of one block
};

}  // namespace lore::index
