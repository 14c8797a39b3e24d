// Rendering a syntax tree.
#pragma once

#include <cstdint>
#include <ctime>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/tokenizer/jinja/ast.hpp"
#include "engine/tokenizer/jinja/builtins.hpp"
#include "engine/tokenizer/jinja/limits.hpp"

namespace lore::engine::jinja {

/// Names and their values; a block's scope lies inside that of the block around it.
struct Scope {
  explicit Scope(std::shared_ptr<Scope> outer) : parent(std::move(outer)) {}

  Value* find(const std::string& name);
  void set(const std::string& name, Value value);

  std::shared_ptr<Scope> parent;
  std::vector<std::pair<std::string, Value>> names;
};

using Clock = std::function<std::tm()>;

/// Renders one template once. A template may not loop for ever nor fill the memory: recursion,
/// work and the bytes of all texts and lists made are limited, each with an error of its own.
///
/// Thread safety: one thread at a time.
class Interpreter {
 public:
  /// `globals`: what the template finds besides global_functions(). `clock`: local time for
  /// strftime_now.
  Interpreter(std::vector<std::pair<std::string, Value>> globals, Clock clock);
  ~Interpreter();
  Interpreter(const Interpreter&) = delete;
  Interpreter& operator=(const Interpreter&) = delete;

  /// Throws Error{invalid_argument} with the words of raise_exception, Error{unsupported} that
  /// names the line for any other failure.
  std::string render(const Block& block);

  // For builtins.
  Value call(const Value& callee, const Arguments& arguments);
  Value apply_filter(const std::string& name, const Value& subject, const Arguments& arguments);
  bool apply_test(const std::string& name, const Value& subject, const Arguments& arguments);
  Budget& budget() { return budget_; }
  /// A new namespace, which lives as long as the rendering: one in itself is no leak then, and a
  /// long chain of them is not taken down by recursion.
  std::shared_ptr<Namespace> new_namespace();
  std::tm now() const { return clock_(); }
  Value call_macro(const Statement& macro, const std::weak_ptr<Scope>& home,
                   const Arguments& arguments);

 private:
  enum class Flow { normal, break_loop, continue_loop };
  class DepthGuard;
  using ScopePtr = std::shared_ptr<Scope>;

  // Statements (interpreter.cpp)
  Flow run(const Block& block, const ScopePtr& scope, std::string& out);
  Flow run(const Statement& statement, const ScopePtr& scope, std::string& out);
  Flow run_loop(const Statement& loop, const ScopePtr& scope, std::string& out);
  Flow run_with(const Statement& with, const ScopePtr& scope, std::string& out);
  void run_set(const Statement& set, const ScopePtr& scope);
  void run_set_block(const Statement& set, const ScopePtr& scope);
  void run_call_block(const Statement& block, const ScopePtr& scope, std::string& out);
  void run_filter_block(const Statement& block, const ScopePtr& scope, std::string& out);
  Value macro_value(const Statement& macro, const ScopePtr& scope);
  std::shared_ptr<std::vector<Value>> loop_items(const Statement& loop, const ScopePtr& scope);
  void assign(const Target& target, Value value, const ScopePtr& scope);
  void unpack(const std::vector<Target>& targets, const Value& value, const ScopePtr& scope);
  void append(std::string& out, const std::string& text);
  /// What str() of a value gives, paid for before it is made.
  std::string printed(const Value& value);
  std::vector<Value> walked(const Value& value);

  // Expressions (evaluate.cpp)
  Value evaluate(const Expression& expression, const ScopePtr& scope);
  Value evaluate_name(const Expression& expression, const ScopePtr& scope);
  Value evaluate_dict(const Expression& expression, const ScopePtr& scope);
  Value evaluate_item(const Expression& expression, const ScopePtr& scope);
  Value evaluate_slice(const Expression& expression, const ScopePtr& scope);
  Value evaluate_binary(const Expression& expression, const ScopePtr& scope);
  Value evaluate_comparison(const Expression& expression, const ScopePtr& scope);
  Value evaluate_unary(const Expression& expression, const ScopePtr& scope);
  Value evaluate_conditional(const Expression& expression, const ScopePtr& scope);
  Value evaluate_call(const Expression& expression, const ScopePtr& scope);
  std::vector<Value> evaluate_all(const Expression& expression, const ScopePtr& scope,
                                  std::size_t first);
  Arguments evaluate_arguments(const Expression& expression, const ScopePtr& scope);
  /// The filters of a block tag, innermost first, on a text.
  Value filter_text(const Expression& expression, std::string text, const ScopePtr& scope);
  /// What a filter or function made, counted.
  Value made(Value result);
  Value add(const Value& left, const Value& right);
  Value multiply(const Value& left, const Value& right);

  std::vector<std::pair<std::string, Value>> globals_;
  Clock clock_;
  std::vector<std::shared_ptr<Namespace>> namespaces_;
  int line_ = 1;
  int depth_ = 0;
  Budget budget_;
};

}  // namespace lore::engine::jinja
