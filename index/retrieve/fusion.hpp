// Two ranked lists made one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace lore::index {

/// Reciprocal rank fusion (Cormack, Clarke, Büttcher, 2009): a document's score is the sum over
/// lists of 1 / (k + rank), ranks from 1.
inline constexpr double kFusionConstant = 60;

struct Fused {
  std::int64_t id = 0;
  double score = 0;
  std::optional<std::size_t> vector_rank;  // from 1
  std::optional<std::size_t> text_rank;    // from 1
};

/// Best first; equal scores by ascending id. Each list holds distinct ids, best first.
std::vector<Fused> fuse(std::span<const std::int64_t> by_vector,
                        std::span<const std::int64_t> by_text);

}  // namespace lore::index
