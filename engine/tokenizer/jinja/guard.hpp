// The limits on a rendering's recursion and length.
#pragma once

#include "engine/tokenizer/jinja/error.hpp"
#include "engine/tokenizer/jinja/interpreter.hpp"

namespace lore::engine::jinja {

/// Stands in every evaluation of a node: counts it, and how deep it is.
class Interpreter::DepthGuard {
 public:
  DepthGuard(Interpreter& interpreter, int line) : interpreter_(interpreter) {
    constexpr int kDeepest = 800;  // levels; each takes about a kilobyte of stack
    constexpr std::uint64_t kMostSteps = 2'000'000;
    interpreter_.line_ = line;
    if (interpreter_.depth_ >= kDeepest) throw render_error("it calls itself without end");
    if (++interpreter_.steps_ > kMostSteps) throw render_error("it does not come to an end");
    ++interpreter_.depth_;
  }
  ~DepthGuard() { --interpreter_.depth_; }
  DepthGuard(const DepthGuard&) = delete;
  DepthGuard& operator=(const DepthGuard&) = delete;

 private:
  Interpreter& interpreter_;
};

}  // namespace lore::engine::jinja
