#include "cli/index_pool.hpp"

namespace lore::cli {
namespace {

/// Indexes that stay open between two requests.
constexpr std::size_t kMostFree = 16;

}  // namespace

IndexPool::Lease IndexPool::take() {
  {
    const std::lock_guard lock(mutex_);
    // What was put in another's place is opened anew.
    std::erase_if(free_, [](const DocumentIndex& index) { return index.is_replaced(); });
    if (!free_.empty()) {
      DocumentIndex index = std::move(free_.back());
      free_.pop_back();
      return {*this, std::move(index)};
    }
  }
  return {*this, library_.open(folder_, embed_model_)};
}

void IndexPool::give_back(DocumentIndex index) {
  const std::lock_guard lock(mutex_);
  if (free_.size() < kMostFree) free_.push_back(std::move(index));
}

}  // namespace lore::cli
