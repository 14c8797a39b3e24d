// Joins what several threads want computed at the same time into one batch, so that they share one
// pass over the weights (continuous batching).
#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "engine/backend/backend.hpp"

namespace lore::engine {

/// Consecutive tokens of one sequence, to be computed after what its cache holds.
struct BatchItem {
  TokenKind kind = TokenKind::prompt;
  std::span<const std::int32_t> tokens;
  std::size_t first_position = 0;
  KvCache* cache = nullptr;  // prepared for these positions
  std::size_t outputs = 1;   // logits wanted, of so many last tokens
};

/// A batch is computed when every member wants something: so whoever generates meets the others at
/// each token. Prompts go first, since they make more generated tokens to share a pass. What one
/// member gets does not depend on the others (design, "two regimes").
///
/// Thread safety: made for it. Each member is one thread between a join and a leave.
class BatchQueue {
 public:
  BatchQueue(std::unique_ptr<Session> session, std::size_t vocabulary);

  /// Membership of the calling thread.
  class Member {
   public:
    explicit Member(BatchQueue& queue) : queue_(queue) { queue_.join(); }
    ~Member() { queue_.leave(); }
    Member(const Member&) = delete;
    Member& operator=(const Member&) = delete;

    /// Returns the logits, [item.outputs, vocabulary], row-major, float32; the caller's to read and
    /// write until its next call. Throws what the computation threw.
    std::span<float> compute(const BatchItem& item) { return queue_.compute(item); }
    /// Whether nobody else generates at the moment.
    bool is_alone() const { return queue_.is_alone(); }

   private:
    BatchQueue& queue_;
  };

 private:
  struct Request {
    const BatchItem* item;
    std::span<float> logits;
    std::exception_ptr error;
    bool done = false;
  };

  void join();
  void leave();
  bool is_alone();
  std::span<float> compute(const BatchItem& item);
  std::vector<Request*> take();
  void run(const std::vector<Request*>& requests);

  const std::unique_ptr<Session> session_;
  const std::size_t vocabulary_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t members_ = 0;
  bool running_ = false;
  std::vector<Request*> pending_;
  // Of the batch in hand; each member reads its own part until all want the next batch.
  std::vector<std::int32_t> tokens_;
  std::vector<SequenceRows> sequences_;
  std::vector<std::uint32_t> selected_;
  std::vector<float> prompt_logits_;
  std::vector<float> generated_logits_;
};

}  // namespace lore::engine
