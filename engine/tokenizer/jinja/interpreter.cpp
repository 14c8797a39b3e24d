#include "engine/tokenizer/jinja/interpreter.hpp"

#include <algorithm>
#include <utility>

#include "engine/tokenizer/jinja/error.hpp"
#include "engine/tokenizer/jinja/guard.hpp"

namespace lore::engine::jinja {
namespace {

/// A {% macro %}, called in the scope that it was written in.
class Macro : public Callable {
 public:
  Macro(const Statement& statement, std::weak_ptr<Scope> home)
      : statement_(statement), home_(std::move(home)) {}

  Value call(Interpreter& interpreter, const Arguments& arguments) const override {
    return interpreter.call_macro(statement_, home_, arguments);
  }

 private:
  const Statement& statement_;
  std::weak_ptr<Scope> home_;  // not owned: that scope holds this macro
};

/// Empties a loop's state when the loop is over: what it holds may hold the state itself.
class LoopEnd {
 public:
  explicit LoopEnd(Loop& loop) : loop_(loop) {}
  ~LoopEnd() {
    loop_.items = std::make_shared<const std::vector<Value>>();
    loop_.last_changed = Undefined{};
  }
  LoopEnd(const LoopEnd&) = delete;
  LoopEnd& operator=(const LoopEnd&) = delete;

 private:
  Loop& loop_;
};

}  // namespace

Value* Scope::find(const std::string& name) {
  for (auto& [known, value] : names) {
    if (known == name) return &value;
  }
  return nullptr;
}

void Scope::set(const std::string& name, Value value) {
  if (Value* known = find(name)) {
    *known = std::move(value);
  } else {
    names.emplace_back(name, std::move(value));
  }
}

Interpreter::Interpreter(std::vector<std::pair<std::string, Value>> globals, Clock clock)
    : globals_(global_functions()), clock_(std::move(clock)) {
  for (auto& global : globals) globals_.push_back(std::move(global));
}

Interpreter::~Interpreter() {
  for (const auto& space : namespaces_) space->attributes.clear();
}

std::string Interpreter::render(const Block& block) {
  std::string out;
  const auto root = std::make_shared<Scope>(nullptr);
  try {
    run(block, root, out);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::unsupported) throw;
    throw Error(ErrorCode::unsupported,
                std::string(error.what()) + " (line " + std::to_string(line_) + " of the template)",
                error.context());
  }
  return out;
}

std::shared_ptr<Namespace> Interpreter::new_namespace() {
  auto space = std::make_shared<Namespace>();
  namespaces_.push_back(space);
  budget_.make_items(1);
  return space;
}

void Interpreter::append(std::string& out, const std::string& text) {
  budget_.make_text(text.size());
  out += text;
}

std::string Interpreter::printed(const Value& value) {
  budget_.work(value.extent().weight);
  return to_text(value);
}

std::vector<Value> Interpreter::walked(const Value& value) {
  std::vector<Value> items = iterate(value);
  budget_.make_items(items.size());
  return items;
}

Interpreter::Flow Interpreter::run(const Block& block, const ScopePtr& scope, std::string& out) {
  for (const Statement& statement : block) {
    const Flow flow = run(statement, scope, out);
    if (flow != Flow::normal) return flow;
  }
  return Flow::normal;
}

Interpreter::Flow Interpreter::run(const Statement& statement, const ScopePtr& scope,
                                   std::string& out) {
  const DepthGuard guard(*this, statement.line);
  switch (statement.kind) {
    case StatementKind::text:
      append(out, statement.text);
      break;
    case StatementKind::print:
      append(out, printed(evaluate(*statement.expression, scope)));
      break;
    case StatementKind::set:
      run_set(statement, scope);
      break;
    case StatementKind::set_block:
      run_set_block(statement, scope);
      break;
    case StatementKind::branch:
      return run(
          evaluate(*statement.expression, scope).truthy() ? statement.body : statement.alternative,
          scope, out);
    case StatementKind::loop:
      return run_loop(statement, scope, out);
    case StatementKind::macro:
      scope->set(statement.text, macro_value(statement, scope));
      break;
    case StatementKind::call_block:
      run_call_block(statement, scope, out);
      break;
    case StatementKind::filter_block:
      run_filter_block(statement, scope, out);
      break;
    case StatementKind::with_block:
      return run_with(statement, scope, out);
    case StatementKind::group:
      return run(statement.body, scope, out);
    case StatementKind::break_loop:
      return Flow::break_loop;
    case StatementKind::continue_loop:
      return Flow::continue_loop;
  }
  return Flow::normal;
}

void Interpreter::assign(const Target& target, Value value, const ScopePtr& scope) {
  if (target.attribute.empty()) {
    scope->set(target.name, std::move(value));
    return;
  }
  Value* found = nullptr;
  for (Scope* level = scope.get(); level != nullptr && found == nullptr;
       level = level->parent.get()) {
    found = level->find(target.name);
  }
  if (found == nullptr || found->space() == nullptr) {
    throw render_error("only a namespace's attribute can be set, and " + target.name + " is none");
  }
  found->space()->set(target.attribute, std::move(value));
}

void Interpreter::unpack(const std::vector<Target>& targets, const Value& value,
                         const ScopePtr& scope) {
  if (targets.size() == 1) return assign(targets[0], value, scope);
  std::vector<Value> parts = walked(value);
  if (parts.size() != targets.size()) {
    throw render_error(std::to_string(targets.size()) + " names are to be set from " +
                       std::to_string(parts.size()) + " values");
  }
  for (std::size_t i = 0; i < parts.size(); ++i) assign(targets[i], std::move(parts[i]), scope);
}

void Interpreter::run_set(const Statement& set, const ScopePtr& scope) {
  unpack(set.targets, evaluate(*set.expression, scope), scope);
}

void Interpreter::run_set_block(const Statement& set, const ScopePtr& scope) {
  std::string text;
  run(set.body, std::make_shared<Scope>(scope), text);
  if (set.expression == nullptr) return assign(set.targets[0], std::move(text), scope);
  assign(set.targets[0], filter_text(*set.expression, std::move(text), scope), scope);
}

void Interpreter::run_filter_block(const Statement& block, const ScopePtr& scope,
                                   std::string& out) {
  std::string text;
  run(block.body, std::make_shared<Scope>(scope), text);
  append(out, printed(filter_text(*block.expression, std::move(text), scope)));
}

Interpreter::Flow Interpreter::run_with(const Statement& with, const ScopePtr& scope,
                                        std::string& out) {
  const auto inner = std::make_shared<Scope>(scope);
  for (std::size_t i = 0; i < with.targets.size(); ++i) {
    inner->set(with.targets[i].name, evaluate(*with.values[i], scope));
  }
  return run(with.body, inner, out);
}

std::shared_ptr<std::vector<Value>> Interpreter::loop_items(const Statement& loop,
                                                            const ScopePtr& scope) {
  auto items = std::make_shared<std::vector<Value>>(walked(evaluate(*loop.expression, scope)));
  if (loop.condition == nullptr) return items;
  auto kept = std::make_shared<std::vector<Value>>();
  for (const Value& value : *items) {
    const auto inner = std::make_shared<Scope>(scope);
    unpack(loop.targets, value, inner);
    if (evaluate(*loop.condition, inner).truthy()) kept->push_back(value);
  }
  return kept;
}

Interpreter::Flow Interpreter::run_loop(const Statement& loop, const ScopePtr& scope,
                                        std::string& out) {
  const std::shared_ptr<const std::vector<Value>> items = loop_items(loop, scope);
  if (items->empty()) return run(loop.alternative, std::make_shared<Scope>(scope), out);
  const auto state = std::make_shared<Loop>();
  state->items = items;
  for (Scope* level = scope.get(); level != nullptr; level = level->parent.get()) {
    const Value* around = level->find("loop");
    if (around == nullptr || around->loop() == nullptr) continue;
    state->depth = around->loop()->depth + 1;
    break;
  }
  const LoopEnd end(*state);
  for (std::size_t i = 0; i < items->size(); ++i) {
    const DepthGuard guard(*this, loop.line);  // an empty body takes time too
    state->index = i;
    const auto inner = std::make_shared<Scope>(scope);
    inner->set("loop", Value(state));
    unpack(loop.targets, (*items)[i], inner);
    if (run(loop.body, inner, out) == Flow::break_loop) break;
  }
  return Flow::normal;
}

Value Interpreter::macro_value(const Statement& macro, const ScopePtr& scope) {
  return Value(std::shared_ptr<const Callable>(std::make_shared<Macro>(macro, scope)));
}

Value Interpreter::call_macro(const Statement& macro, const std::weak_ptr<Scope>& home,
                              const Arguments& arguments) {
  const ScopePtr outer = home.lock();
  if (outer == nullptr) {
    throw render_error("the macro " + macro.text + " is called outside the block that it is in");
  }
  const auto scope = std::make_shared<Scope>(outer);
  const std::size_t given = arguments.positional.size();
  for (std::size_t i = 0; i < macro.parameters.size(); ++i) {
    const Parameter& parameter = macro.parameters[i];
    if (const Value* value = arguments.find(i, parameter.name)) {
      scope->set(parameter.name, *value);
    } else if (parameter.fallback != nullptr) {
      scope->set(parameter.name, evaluate(*parameter.fallback, scope));
    } else {
      scope->set(parameter.name, Undefined{parameter.name});
    }
  }
  if (given > macro.parameters.size()) {
    const auto first = static_cast<std::ptrdiff_t>(macro.parameters.size());
    scope->set("varargs",
               Value::tuple({arguments.positional.begin() + first, arguments.positional.end()}));
  }
  if (const Value* caller = arguments.find(given, "caller")) scope->set("caller", *caller);
  std::string text;
  run(macro.body, scope, text);
  return text;
}

void Interpreter::run_call_block(const Statement& block, const ScopePtr& scope, std::string& out) {
  const Expression& call_expression = *block.expression;
  const Value callee = evaluate(*call_expression.children[0], scope);
  Arguments arguments = evaluate_arguments(call_expression, scope);
  arguments.named.emplace_back("caller", macro_value(block, scope));
  append(out, printed(call(callee, arguments)));
}

}  // namespace lore::engine::jinja
