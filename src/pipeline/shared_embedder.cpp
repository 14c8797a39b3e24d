#include "pipeline/shared_embedder.hpp"

#include <algorithm>
#include <utility>

#include "lore/error.hpp"

namespace lore::pipeline {
namespace {

/// Tokens that one request brings into a round at most, and a round has in all: some tenths of a
/// second with a small model.
constexpr std::size_t kTokensOfRequest = 8192;
constexpr std::size_t kTokensOfRound = 32768;

}  // namespace

SharedEmbedder::SharedEmbedder(std::shared_ptr<const engine::Model> model, ThreadPool& pool,
                               engine::EmbedderOptions options) {
  options.dimensions = 0;
  options.normalize = false;
  embedder_ = engine::Embedder::create(std::move(model), pool, options);
}

std::vector<float> SharedEmbedder::embed(std::span<const std::vector<engine::TokenId>> sequences,
                                         std::size_t dimensions, bool normalize) {
  const std::size_t width = embedder_->dimension();
  Request request{sequences, 0, {}, {}, sequences.empty()};
  std::unique_lock lock(mutex_);
  if (!request.done) waiting_.push_back(&request);
  while (!request.done) {
    if (running_) {
      changed_.wait(lock);
      continue;
    }
    // Whoever finds nobody at work does the next round for all.
    running_ = true;
    const std::vector<Part> parts = take_round();
    lock.unlock();
    compute(parts);
    lock.lock();
    running_ = false;
    for (const Part& part : parts) {
      part.request->done = part.request->error || part.end == part.request->sequences.size();
    }
    std::erase_if(waiting_, [](const Request* other) { return other->done; });
    // Who has had a turn goes behind those who have not.
    std::stable_partition(waiting_.begin(), waiting_.end(), [&](const Request* other) {
      return std::none_of(parts.begin(), parts.end(),
                          [&](const Part& part) { return part.request == other; });
    });
    changed_.notify_all();
  }
  lock.unlock();
  if (request.error) std::rethrow_exception(request.error);
  std::vector<float> out;
  out.reserve(request.vectors.size() / width * dimensions);
  for (auto row = request.vectors.begin(); row != request.vectors.end();
       row += static_cast<std::ptrdiff_t>(width)) {
    out.insert(out.end(), row, row + static_cast<std::ptrdiff_t>(dimensions));
    if (normalize) engine::normalize(std::span(out).last(dimensions));
  }
  return out;
}

/// Numbers in the vectors of these.
std::size_t SharedEmbedder::values_of(
    std::span<const std::vector<engine::TokenId>> sequences) const {
  std::size_t rows = sequences.size();
  if (embedder_->pooling() == engine::Pooling::none) {
    rows = 0;
    for (const auto& ids : sequences) rows += ids.size();
  }
  return rows * embedder_->dimension();
}

/// The next sequences of those who wait, longest waiting first, each its share.
std::vector<SharedEmbedder::Part> SharedEmbedder::take_round() {
  std::vector<Part> parts;
  std::size_t tokens = 0;
  for (Request* request : waiting_) {
    if (!parts.empty() && tokens >= kTokensOfRound) break;
    Part part{request, request->next, request->next};
    std::size_t own = 0;
    while (part.end < request->sequences.size() &&
           (part.end == part.begin || own < kTokensOfRequest)) {
      own += request->sequences[part.end++].size();
    }
    request->next = part.end;
    tokens += own;
    parts.push_back(part);
  }
  return parts;
}

void SharedEmbedder::compute(const std::vector<Part>& parts) {
  const auto own = [](const Part& part) {
    return part.request->sequences.subspan(part.begin, part.end - part.begin);
  };
  std::vector<float> vectors;
  try {
    std::vector<std::vector<engine::TokenId>> sequences;
    for (const Part& part : parts) {
      sequences.insert(sequences.end(), own(part).begin(), own(part).end());
      std::vector<float>& out = part.request->vectors;
      out.reserve(out.size() + values_of(own(part)));
    }
    vectors.resize(values_of(sequences));
    embedder_->embed(sequences, vectors);
  } catch (...) {
    // Whose fault it is shows when each is computed by itself.
    if (parts.size() > 1) return compute_apart(parts);
    parts.front().request->error = std::current_exception();
    return;
  }
  auto from = vectors.cbegin();
  for (const Part& part : parts) {
    const auto to = from + static_cast<std::ptrdiff_t>(values_of(own(part)));
    part.request->vectors.insert(part.request->vectors.end(), from, to);
    from = to;
  }
}

void SharedEmbedder::compute_apart(const std::vector<Part>& parts) {
  for (const Part& part : parts) compute({part});
}

}  // namespace lore::pipeline
