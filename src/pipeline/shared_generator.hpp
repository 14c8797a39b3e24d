// One generator for all who write with a model at the same time, so that their tokens are computed
// together.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>

#include "engine/engine.hpp"

namespace lore::pipeline {

/// Thread safety: any thread.
class SharedGenerator {
 public:
  /// `together`: texts that are written at the same time at most.
  SharedGenerator(ThreadPool& pool, std::size_t together) : pool_(pool), together_(together) {}

  /// Raises how many texts the generators that are made from now on write at the same time.
  void allow(std::size_t together) {
    const std::lock_guard lock(mutex_);
    together_ = std::max(together_, together);
  }

  /// A generator of the model whose context holds `tokens` at least; 0 takes the engine's default.
  std::shared_ptr<engine::Generator> get(const std::shared_ptr<const engine::Model>& model,
                                         std::size_t tokens,
                                         engine::CacheType cache = engine::CacheType::f16) {
    const std::lock_guard lock(mutex_);
    const bool fits = generator_ && model_ == model && cache_ == cache && made_for_ >= together_ &&
                      tokens != 0 && generator_->context() >= tokens;
    if (!fits) {
      generator_ = engine::Generator::create(
          model, pool_, {.context = tokens, .cache_type = cache, .sequences = together_});
      model_ = model;
      cache_ = cache;
      made_for_ = together_;
    }
    return generator_;
  }

 private:
  ThreadPool& pool_;
  std::mutex mutex_;
  std::size_t together_;
  std::shared_ptr<const engine::Model> model_;
  engine::CacheType cache_ = engine::CacheType::f16;
  std::size_t made_for_ = 0;
  std::shared_ptr<engine::Generator> generator_;
};

}  // namespace lore::pipeline
