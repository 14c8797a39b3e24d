// One embedder for all who want vectors at the same time, so that their texts are packed together.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "engine/engine.hpp"

namespace lore::pipeline {

/// What arrives while others are computed waits, and is then computed with all that waits. A large
/// request takes turns with the small ones that come after it. Vectors are the same bits whatever
/// travels beside them.
///
/// Thread safety: any thread.
class SharedEmbedder {
 public:
  /// `options`: dimensions and normalize are left to the calls.
  SharedEmbedder(std::shared_ptr<const engine::Model> model, ThreadPool& pool,
                 engine::EmbedderOptions options);

  const engine::Embedder& embedder() const { return *embedder_; }

  /// The first `dimensions` values of each vector, at length 1 where `normalize` says so:
  /// [sequences, dimensions], or [all tokens, dimensions] without pooling; row-major. Throws what
  /// Embedder::embed throws; one bad sequence fails its own call only.
  std::vector<float> embed(std::span<const std::vector<engine::TokenId>> sequences,
                           std::size_t dimensions, bool normalize);

 private:
  struct Request {
    std::span<const std::vector<engine::TokenId>> sequences;
    std::size_t next = 0;        // the first sequence that no round has taken
    std::vector<float> vectors;  // of the sequences before `next`, whole
    std::exception_ptr error;
    bool done = false;
  };
  /// What a round computes of one request.
  struct Part {
    Request* request;
    std::size_t begin, end;
  };

  std::size_t values_of(std::span<const std::vector<engine::TokenId>> sequences) const;
  std::vector<Part> take_round();
  void compute(const std::vector<Part>& parts);
  void compute_apart(const std::vector<Part>& parts);

  std::unique_ptr<engine::Embedder> embedder_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool running_ = false;
  std::vector<Request*> waiting_;
};

}  // namespace lore::pipeline
