// Most of the nearest neighbours over very many vectors, by FAISS.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/function_ref.hpp"
#include "index/vectors/vector_pass.hpp"

namespace lore::index {

/// A vector that was found. `score` approximates the inner product with the query.
struct Neighbour {
  std::int64_t id = 0;
  float score = 0;
};

/// Inverted lists of vectors with 8-bit codes ("IVF…,SQ8").
///
/// Thread safety: const functions from any thread. FAISS is held to the calling thread.
class ListIndex {
 public:
  /// `count`: how many vectors `pass` gives. Throws Error{internal} where FAISS fails.
  static ListIndex build(std::size_t dimension, std::size_t count, VectorPass pass);
  /// Reads what save() wrote; `read` fills a buffer and returns how far, less than asked for only
  /// at the end. Throws Error{corrupt}. Feed it only bytes whose checksum was right.
  static ListIndex load(FunctionRef<std::size_t(std::span<std::byte>)> read);

  ListIndex(ListIndex&&) noexcept;
  ListIndex& operator=(ListIndex&&) noexcept;
  ~ListIndex();

  /// FAISS's own file format.
  void save(FunctionRef<void(std::span<const std::byte>)> write) const;

  std::size_t dimension() const noexcept;
  std::size_t size() const noexcept;
  /// Of the 20 nearest, the share that a search for RecallSample::kCandidates finds, over a sample
  /// of the vectors. Known after build() only.
  double recall() const noexcept { return recall_; }

  /// Up to `limit` nearest, best first; fewer where the lists that were looked at hold no more.
  /// query: [dimension].
  std::vector<Neighbour> search(std::span<const float> query, std::size_t limit) const;
  /// All ids, ascending.
  std::vector<std::int64_t> ids() const;

 private:
  struct Impl;
  explicit ListIndex(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
  double recall_ = 1;
};

}  // namespace lore::index
