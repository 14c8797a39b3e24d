// One generator for all who write answers at the same time, so that their tokens are computed
// together.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>

#include "engine/engine.hpp"

namespace lore::pipeline {

/// Thread safety: any thread.
class SharedGenerator {
 public:
  /// `together`: answers that are written at the same time at most.
  SharedGenerator(ThreadPool& pool, std::size_t together) : pool_(pool), together_(together) {}

  /// A generator of the model whose context holds `tokens` at least.
  std::shared_ptr<engine::Generator> get(const std::shared_ptr<const engine::Model>& model,
                                         std::size_t tokens) {
    const std::lock_guard lock(mutex_);
    if (!generator_ || model_ != model || generator_->context() < tokens) {
      generator_ =
          engine::Generator::create(model, pool_, {.context = tokens, .sequences = together_});
      model_ = model;
    }
    return generator_;
  }

 private:
  ThreadPool& pool_;
  std::size_t together_;
  std::mutex mutex_;
  std::shared_ptr<const engine::Model> model_;
  std::shared_ptr<engine::Generator> generator_;
};

}  // namespace lore::pipeline
