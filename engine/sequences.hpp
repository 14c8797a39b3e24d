// The sequences that a generator keeps: their caches, and what each holds.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "engine/cache/kv_cache.hpp"
#include "engine/tensor/token_id.hpp"

namespace lore::engine {

/// A prompt takes over the longest prefix that any sequence holds, or that one is about to compute:
/// so what several prompts begin with is computed and held once.
///
/// Thread safety: made for it; each sequence in use belongs to one thread.
class Sequences {
 public:
  /// `count` sequences at most are in use at the same time.
  Sequences(const KvShape& shape, std::size_t count);

  /// A sequence in use.
  class Lease {
   public:
    Lease(Sequences& owner, std::size_t index) : owner_(&owner), index_(index) {}
    Lease(Lease&& other) noexcept
        : owner_(std::exchange(other.owner_, nullptr)), index_(other.index_) {}
    ~Lease() {
      if (owner_ != nullptr) owner_->release(index_);
    }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    Lease& operator=(Lease&&) = delete;

    KvCache& cache() const { return owner_->entries_[index_].cache; }
    /// Tokens whose keys and values the cache holds.
    std::size_t size() const { return owner_->entries_[index_].held.size(); }
    /// Makes the positions of `count` more tokens writable.
    void prepare(std::size_t count) { owner_->prepare(index_, count); }
    /// Tells that the next tokens have been computed.
    void extend(std::span<const TokenId> tokens) { owner_->extend(index_, tokens); }

   private:
    Sequences* owner_;
    std::size_t index_;
  };

  /// Waits for a sequence to become free, and for a prefix that another thread is computing. It
  /// holds as much of the prompt as could be had, but for the last token: its logits are needed.
  /// `keep_going` is asked while waiting; where it says no, there is no sequence.
  std::optional<Lease> begin(std::span<const TokenId> prompt,
                             const std::function<bool()>& keep_going);
  /// Forgets what is held, so that the next prompt is computed from its beginning.
  void clear();

 private:
  struct Entry {
    KvCache cache;
    std::vector<TokenId> held;     // whose keys and values the cache holds, from position 0
    std::vector<TokenId> planned;  // the prompt that is being computed; empty otherwise
    bool in_use = false;
  };

  void release(std::size_t index);
  void prepare(std::size_t index, std::size_t count);
  void extend(std::size_t index, std::span<const TokenId> tokens);
  bool is_worth_waiting(std::span<const TokenId> prompt) const;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Entry> entries_;
};

}  // namespace lore::engine
