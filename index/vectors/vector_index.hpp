// A vector file in memory, of either kind.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "index/vectors/exact_index.hpp"
#include "index/vectors/list_index.hpp"
#include "index/vectors/vector_pass.hpp"

namespace lore::index {

/// Vectors with ids: searched exactly (int8 codes and a bound) up to so many that one thread still
/// answers at once, above that with FAISS, which finds nearly all.
///
/// Thread safety: const functions from any thread.
class VectorIndex {
 public:
  /// Vectors times dimensions up to which the search is exact: one thread goes through 1.5e9 in a
  /// tenth of a second (384 dimensions: 3.9 million vectors), which nobody notices beside the rest
  /// of a search.
  static constexpr std::size_t kExactCodes = 1'500'000'000;

  /// `count`: how many vectors `pass` gives, by ascending id. Throws Error{limit_exceeded,
  /// internal, corrupt}.
  static VectorIndex build(std::size_t dimension, std::size_t count, VectorPass pass,
                           std::size_t exact_codes = kExactCodes);
  explicit VectorIndex(ExactIndex index) : index_(std::move(index)) {}
  explicit VectorIndex(ListIndex index) : index_(std::move(index)) {}

  /// The one that it is, or null.
  const ExactIndex* exact() const noexcept { return std::get_if<ExactIndex>(&index_); }
  const ListIndex* lists() const noexcept { return std::get_if<ListIndex>(&index_); }
  /// "int8" or "ivf_sq8".
  std::string_view kind() const noexcept { return exact() != nullptr ? "int8" : "ivf_sq8"; }

  void save(FunctionRef<void(std::span<const std::byte>)> write) const;
  std::size_t dimension() const noexcept;
  std::size_t size() const noexcept;
  /// Of the 20 nearest, the share that a search finds; 1 where it is exact. Known after build()
  /// only.
  double recall() const noexcept { return lists() != nullptr ? lists()->recall() : 1; }
  /// All ids, ascending.
  std::vector<std::int64_t> ids() const;
  /// Whether it holds this vector under this id; of lists, whether the id is among ids() is all
  /// that can be told, and this is true. vector: [dimension], unit length.
  bool holds(std::int64_t id, std::span<const float> vector) const;

 private:
  std::variant<ExactIndex, ListIndex> index_;
};

}  // namespace lore::index
