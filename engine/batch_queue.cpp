#include "engine/batch_queue.hpp"

#include <algorithm>
#include <utility>

namespace lore::engine {

BatchQueue::BatchQueue(std::unique_ptr<Session> session, std::size_t vocabulary)
    : session_(std::move(session)), vocabulary_(vocabulary) {}

void BatchQueue::join() {
  const std::lock_guard lock(mutex_);
  ++members_;
}

void BatchQueue::leave() {
  const std::lock_guard lock(mutex_);
  --members_;
  changed_.notify_all();  // the others may be waiting for this one only
}

bool BatchQueue::is_alone() {
  const std::lock_guard lock(mutex_);
  return members_ == 1;
}

std::span<float> BatchQueue::compute(const BatchItem& item) {
  Request request{&item, {}, nullptr, false};
  std::unique_lock lock(mutex_);
  pending_.push_back(&request);
  while (!request.done) {
    if (running_ || pending_.size() < members_) {
      changed_.wait(lock);
      continue;
    }
    running_ = true;
    const std::vector<Request*> batch = take();
    lock.unlock();
    std::exception_ptr error;
    try {
      run(batch);
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    running_ = false;
    for (Request* served : batch) {
      served->error = error;
      served->done = true;
    }
    changed_.notify_all();
  }
  if (request.error) std::rethrow_exception(request.error);
  return request.logits;
}

/// The requests of the next batch: all of one kind. Keeps the order in which they came.
std::vector<BatchQueue::Request*> BatchQueue::take() {
  const auto is_prompt = [](const Request* request) {
    return request->item->kind == TokenKind::prompt;
  };
  const bool prompts = std::any_of(pending_.begin(), pending_.end(), is_prompt);
  std::vector<Request*> batch;
  std::vector<Request*> left;
  std::size_t tokens = 0;
  for (Request* request : pending_) {
    const std::size_t with_it = tokens + request->item->tokens.size();
    const bool fits = !prompts || batch.empty() || with_it <= kPromptPiece;
    if (is_prompt(request) == prompts && fits) {
      batch.push_back(request);
      tokens = with_it;
    } else {
      left.push_back(request);
    }
  }
  pending_ = std::move(left);
  return batch;
}

void BatchQueue::run(const std::vector<Request*>& requests) {
  tokens_.clear();
  sequences_.clear();
  selected_.clear();
  for (const Request* request : requests) {
    const BatchItem& item = *request->item;
    const std::size_t begin = tokens_.size();
    sequences_.push_back({begin, item.tokens.size(), item.first_position, item.cache});
    tokens_.insert(tokens_.end(), item.tokens.begin(), item.tokens.end());
    for (std::size_t i = tokens_.size() - item.outputs; i < tokens_.size(); ++i) {
      selected_.push_back(static_cast<std::uint32_t>(i));
    }
  }
  const TokenKind kind = requests.front()->item->kind;
  std::vector<float>& logits = kind == TokenKind::prompt ? prompt_logits_ : generated_logits_;
  if (logits.size() < selected_.size() * vocabulary_) logits.resize(selected_.size() * vocabulary_);
  Batch batch;
  batch.kind = kind;
  batch.tokens = tokens_;
  batch.sequences = sequences_;
  batch.selected = selected_;
  batch.logits = selected_.empty() ? nullptr : logits.data();
  session_->run(batch);
  std::size_t row = 0;
  for (Request* request : requests) {
    const std::size_t outputs = request->item->outputs;
    request->logits = std::span(logits).subspan(row * vocabulary_, outputs * vocabulary_);
    row += outputs;
  }
}

}  // namespace lore::engine
