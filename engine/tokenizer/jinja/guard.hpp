// The limit on a rendering's recursion.
#pragma once

#include "engine/tokenizer/jinja/error.hpp"
#include "engine/tokenizer/jinja/interpreter.hpp"

namespace lore::engine::jinja {

/// Stands in every evaluation of a node: counts it, and how deep it is.
class Interpreter::DepthGuard {
 public:
  DepthGuard(Interpreter& interpreter, int line) : interpreter_(interpreter) {
    constexpr int kDeepest = 800;               // levels; each takes about a kilobyte of stack
    constexpr std::uint64_t kWorkOfNode = 512;  // so that two million nodes are the most
    interpreter_.line_ = line;
    if (interpreter_.depth_ >= kDeepest) throw render_error("it calls itself without end");
    interpreter_.budget_.work(kWorkOfNode);
    ++interpreter_.depth_;
  }
  ~DepthGuard() { --interpreter_.depth_; }
  DepthGuard(const DepthGuard&) = delete;
  DepthGuard& operator=(const DepthGuard&) = delete;

 private:
  Interpreter& interpreter_;
};

}  // namespace lore::engine::jinja
