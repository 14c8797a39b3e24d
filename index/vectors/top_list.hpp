// The best few of many scored ids.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace lore::index {

/// Keeps the `limit` best; of two with equal scores the lower id, so that the result does not
/// depend on the order of arrival.
///
/// Thread safety: one thread at a time.
class TopList {
 public:
  struct Entry {
    std::int64_t id = 0;
    float score = 0;
  };

  explicit TopList(std::size_t limit) : limit_(limit) {}

  void add(std::int64_t id, float score) {
    const Entry entry{id, score};
    if (heap_.size() < limit_) {
      heap_.push_back(entry);
      std::push_heap(heap_.begin(), heap_.end(), better);
    } else if (limit_ > 0 && better(entry, heap_.front())) {
      std::pop_heap(heap_.begin(), heap_.end(), better);
      heap_.back() = entry;
      std::push_heap(heap_.begin(), heap_.end(), better);
    }
  }

  /// Whether only what beats the worst is let in.
  bool full() const { return heap_.size() >= limit_; }
  /// Of a list that is not empty.
  const Entry& worst() const { return heap_.front(); }

  /// Best first.
  std::vector<Entry> sorted() const {
    std::vector<Entry> entries = heap_;
    std::sort(entries.begin(), entries.end(), better);
    return entries;
  }

 private:
  static bool better(const Entry& a, const Entry& b) {
    return a.score != b.score ? a.score > b.score : a.id < b.id;
  }

  std::size_t limit_;
  std::vector<Entry> heap_;  // the worst in front
};

}  // namespace lore::index
