// Nearest neighbours over many vectors, by FAISS.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/function_ref.hpp"

namespace lore::index {

/// A vector that was found. `score` is the inner product with the query, approximate where the
/// index compresses.
struct Neighbour {
  std::int64_t id = 0;
  float score = 0;
};

/// Receives some vectors: ids [n], rows [n, dimension], row-major, unit length.
using VectorBlock =
    FunctionRef<void(std::span<const std::int64_t> ids, std::span<const float> rows)>;
/// Goes through all vectors once, in the same order each time it is called.
using VectorPass = FunctionRef<void(VectorBlock)>;

/// Vectors with ids, and searched: exactly ("IDMap2,Flat") up to `flat_limit` vectors, above that
/// with inverted lists and 8-bit codes ("IVF…,SQ8").
///
/// Thread safety: const functions from any thread. FAISS is held to the calling thread.
class VectorIndex {
 public:
  static constexpr std::size_t kFlatLimit = 200'000;

  /// `count`: how many vectors `pass` gives. Throws Error{internal} where FAISS fails.
  static VectorIndex build(std::size_t dimension, std::size_t count, VectorPass pass,
                           std::size_t flat_limit = kFlatLimit);
  /// Reads what save() wrote; `read` fills a buffer and returns how far, less than asked for only
  /// at the end. Throws Error{corrupt}. Feed it only bytes whose checksum was right.
  static VectorIndex load(FunctionRef<std::size_t(std::span<std::byte>)> read);

  VectorIndex(VectorIndex&&) noexcept;
  VectorIndex& operator=(VectorIndex&&) noexcept;
  ~VectorIndex();

  /// FAISS's own file format.
  void save(FunctionRef<void(std::span<const std::byte>)> write) const;

  std::size_t dimension() const noexcept;
  std::size_t size() const noexcept;
  /// "flat" or "ivf_sq8".
  std::string kind() const;
  /// Of the 20 nearest, the share that a search for RecallSample::kCandidates finds, over a sample
  /// of the vectors; 1 where the search is exact. Known after build() only.
  double recall() const noexcept { return recall_; }

  /// Up to `limit` nearest, best first; fewer where the lists that were looked at hold no more.
  /// query: [dimension].
  std::vector<Neighbour> search(std::span<const float> query, std::size_t limit) const;
  /// Whether it holds exactly this vector under this id; where it compresses, whether the id is
  /// among ids() is all that can be told, and this is true. vector: [dimension], unit length.
  bool holds(std::int64_t id, std::span<const float> vector) const;
  /// All ids, ascending.
  std::vector<std::int64_t> ids() const;

 private:
  struct Impl;
  explicit VectorIndex(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
  double recall_ = 1;
};

}  // namespace lore::index
