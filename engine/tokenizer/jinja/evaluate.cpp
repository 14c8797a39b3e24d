// The expression half of the interpreter.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/utf8.hpp"
#include "engine/tokenizer/jinja/error.hpp"
#include "engine/tokenizer/jinja/guard.hpp"
#include "engine/tokenizer/jinja/interpreter.hpp"
#include "engine/tokenizer/jinja/limits.hpp"
#include "engine/tokenizer/jinja/text.hpp"

namespace lore::engine::jinja {
namespace {

constexpr std::size_t kLargestRepetition = std::size_t{1} << 24U;  // items or bytes

[[noreturn]] void fail_operands(const std::string& operation, const Value& left,
                                const Value& right) {
  for (const Value* side : {&left, &right}) {
    if (side->is_undefined()) throw render_error("\"" + side->undefined().name + "\" is undefined");
  }
  throw render_error("\"" + operation + "\" does not go with " + std::string(left.type_name()) +
                     " and " + std::string(right.type_name()));
}

/// + - * on whole numbers.
std::int64_t integer_operation(char operation, std::int64_t left, std::int64_t right) {
  std::int64_t result = 0;
  bool overflow = false;
  if (operation == '+') overflow = __builtin_add_overflow(left, right, &result);
  if (operation == '-') overflow = __builtin_sub_overflow(left, right, &result);
  if (operation == '*') overflow = __builtin_mul_overflow(left, right, &result);
  if (overflow) throw render_error("a whole number grows past 64 bits");
  return result;
}

/// // and % of Python: rounded towards minus infinity.
Value divide(const std::string& operation, const Value& left, const Value& right) {
  if (right.number() == 0) throw render_error("a division by zero");
  if (operation == "/") return left.number() / right.number();
  if (left.is_integer() && right.is_integer()) {
    const std::int64_t a = left.integer();
    const std::int64_t b = right.integer();
    if (b == -1) return operation == "//" ? integer_operation('-', 0, a) : std::int64_t{0};
    const bool uneven = a % b != 0 && (a % b < 0) != (b < 0);
    if (operation == "//") return a / b - (uneven ? 1 : 0);
    return a % b + (uneven ? b : 0);
  }
  const double floored = std::floor(left.number() / right.number());
  if (operation == "//") return floored;
  return left.number() - floored * right.number();
}

Value power(const Value& left, const Value& right) {
  if (!left.is_integer() || !right.is_integer() || right.integer() < 0) {
    return std::pow(left.number(), right.number());
  }
  std::int64_t result = 1;
  std::int64_t square = left.integer();
  for (std::int64_t rest = right.integer(); rest > 0; rest /= 2) {
    if (rest % 2 == 1) result = integer_operation('*', result, square);
    if (rest > 1) square = integer_operation('*', square, square);
  }
  return result;
}

/// The indices that a Python slice of a sequence takes.
std::vector<std::size_t> slice_indices(std::size_t size, const Value* start, const Value* stop,
                                       const Value* step) {
  const auto whole = [](const Value* value, std::int64_t fallback) {
    if (value == nullptr || value->is_none()) return fallback;
    if (!value->is_integer()) throw render_error("a slice needs whole numbers");
    return value->integer();
  };
  const auto count = static_cast<std::int64_t>(size);
  const std::int64_t stride = whole(step, 1);
  if (stride == 0) throw render_error("a slice has the step 0");
  const std::int64_t lowest = stride > 0 ? 0 : -1;
  const std::int64_t highest = stride > 0 ? count : count - 1;
  const auto place = [&](const Value* value, std::int64_t fallback) {
    if (value == nullptr || value->is_none()) return fallback;
    const std::int64_t given = whole(value, 0);
    return std::clamp(given < 0 ? given + count : given, lowest, highest);
  };
  const std::int64_t first = place(start, stride > 0 ? lowest : highest);
  const std::int64_t last = place(stop, stride > 0 ? highest : lowest);
  std::vector<std::size_t> indices;
  for (std::int64_t i = first; stride > 0 ? i < last : i > last; i += stride) {
    indices.push_back(static_cast<std::size_t>(i));
    if (stride > count || stride < -count) break;  // also keeps i from overflowing
  }
  return indices;
}

std::uint64_t weight_of(const Arguments& arguments) {
  Extent all;
  for (const Value& value : arguments.positional) all.contain(value);
  for (const auto& [name, value] : arguments.named) all.contain(value);
  return all.weight;
}

bool compare(const std::string& operation, const Value& left, const Value& right) {
  if (operation == "==") return equals(left, right);
  if (operation == "!=") return !equals(left, right);
  if (operation == "in") return contains(right, left);
  if (operation == "not in") return !contains(right, left);
  if (operation == "<") return less(left, right);
  if (operation == ">") return less(right, left);
  if (operation == "<=") return less(left, right) || equals(left, right);
  return less(right, left) || equals(left, right);
}

}  // namespace

Value Interpreter::evaluate(const Expression& expression, const ScopePtr& scope) {
  const DepthGuard guard(*this, expression.line);
  switch (expression.kind) {
    case ExpressionKind::literal:
      return expression.value;
    case ExpressionKind::name:
      return evaluate_name(expression, scope);
    case ExpressionKind::list:
      return Value::list(evaluate_all(expression, scope, 0));
    case ExpressionKind::tuple:
      return Value::tuple(evaluate_all(expression, scope, 0));
    case ExpressionKind::dict:
      return evaluate_dict(expression, scope);
    case ExpressionKind::attribute:
      return attribute(evaluate(*expression.children[0], scope), expression.text);
    case ExpressionKind::item:
      return evaluate_item(expression, scope);
    case ExpressionKind::slice:
      return evaluate_slice(expression, scope);
    case ExpressionKind::call:
      return evaluate_call(expression, scope);
    case ExpressionKind::filter:
      return apply_filter(expression.text, evaluate(*expression.children[0], scope),
                          evaluate_arguments(expression, scope));
    case ExpressionKind::test:
      return apply_test(expression.text, evaluate(*expression.children[0], scope),
                        evaluate_arguments(expression, scope));
    case ExpressionKind::negation:
      return !evaluate(*expression.children[0], scope).truthy();
    case ExpressionKind::unary:
      return evaluate_unary(expression, scope);
    case ExpressionKind::binary:
      return evaluate_binary(expression, scope);
    case ExpressionKind::comparison:
      return evaluate_comparison(expression, scope);
    case ExpressionKind::logical_and: {
      Value left = evaluate(*expression.children[0], scope);
      return left.truthy() ? evaluate(*expression.children[1], scope) : left;
    }
    case ExpressionKind::logical_or: {
      Value left = evaluate(*expression.children[0], scope);
      return left.truthy() ? left : evaluate(*expression.children[1], scope);
    }
    case ExpressionKind::conditional:
      return evaluate_conditional(expression, scope);
  }
  return {};
}

Value Interpreter::evaluate_name(const Expression& expression, const ScopePtr& scope) {
  for (Scope* level = scope.get(); level != nullptr; level = level->parent.get()) {
    budget_.work(level->names.size());
    if (const Value* value = level->find(expression.text)) return *value;
  }
  for (const auto& [name, value] : globals_) {
    if (name == expression.text) return value;
  }
  return Undefined{expression.text};
}

std::vector<Value> Interpreter::evaluate_all(const Expression& expression, const ScopePtr& scope,
                                             std::size_t first) {
  std::vector<Value> values;
  for (std::size_t i = first; i < expression.children.size(); ++i) {
    values.push_back(evaluate(*expression.children[i], scope));
  }
  budget_.make_items(values.size());
  return values;
}

Arguments Interpreter::evaluate_arguments(const Expression& expression, const ScopePtr& scope) {
  Arguments arguments;
  arguments.positional = evaluate_all(expression, scope, 1);
  for (const auto& [name, value] : expression.keywords) {
    arguments.named.emplace_back(name, evaluate(*value, scope));
  }
  return arguments;
}

Value Interpreter::evaluate_dict(const Expression& expression, const ScopePtr& scope) {
  const auto dict = std::make_shared<Dict>();
  for (std::size_t i = 0; i + 1 < expression.children.size(); i += 2) {
    Value key = evaluate(*expression.children[i], scope);
    budget_.work(dict->items.size() * key.extent().weight);
    dict->set(std::move(key), evaluate(*expression.children[i + 1], scope));
  }
  budget_.make_items(dict->items.size());
  return dict;
}

Value Interpreter::evaluate_item(const Expression& expression, const ScopePtr& scope) {
  const Value subject = evaluate(*expression.children[0], scope);
  const Value key = evaluate(*expression.children[1], scope);
  if (subject.string() != nullptr) budget_.work(subject.extent().weight);
  if (subject.dict() != nullptr) {
    budget_.work_across(subject.dict()->items.size(), key.extent().weight);
  }
  return item(subject, key);
}

Value Interpreter::evaluate_slice(const Expression& expression, const ScopePtr& scope) {
  const Value subject = evaluate(*expression.children[0], scope);
  budget_.work(subject.extent().weight);
  std::vector<Value> bounds(3);
  for (std::size_t i = 0; i < 3; ++i) {
    const ExpressionPtr& bound = expression.children[i + 1];
    if (bound != nullptr) bounds[i] = evaluate(*bound, scope);
  }
  if (const std::string* text = subject.string()) {
    const std::vector<char32_t> all = utf8::decode(*text);
    std::string result;
    for (const std::size_t i : slice_indices(all.size(), &bounds[0], &bounds[1], &bounds[2])) {
      utf8::append(result, all[i]);
    }
    budget_.make_text(result.size());
    return result;
  }
  const List* list = subject.list();
  if (list == nullptr) {
    if (subject.is_undefined()) {
      throw render_error("\"" + subject.undefined().name + "\" is undefined");
    }
    throw render_error("a " + std::string(subject.type_name()) + " cannot be sliced");
  }
  std::vector<Value> result;
  for (const std::size_t i :
       slice_indices(list->items.size(), &bounds[0], &bounds[1], &bounds[2])) {
    result.push_back(list->items[i]);
  }
  budget_.make_items(result.size());
  return list->tuple ? Value::tuple(std::move(result)) : Value::list(std::move(result));
}

Value Interpreter::evaluate_unary(const Expression& expression, const ScopePtr& scope) {
  Value value = evaluate(*expression.children[0], scope);
  if (!value.is_number()) fail_operands(expression.text, value, value);
  if (expression.text == "+") return value;
  if (value.is_integer()) return integer_operation('-', 0, value.integer());
  return -value.number();
}

Value Interpreter::add(const Value& left, const Value& right) {
  if (left.string() != nullptr && right.string() != nullptr) {
    budget_.make_text(left.string()->size() + right.string()->size());
    if (!left.is_markup() && !right.is_markup()) return *left.string() + *right.string();
    const auto html = [](const Value& side) {
      return side.is_markup() ? *side.string() : escape_html(*side.string());
    };
    return Value::markup(html(left) + html(right));
  }
  const List* first = left.list();
  const List* second = right.list();
  if (first == nullptr || second == nullptr || first->tuple != second->tuple) {
    fail_operands("+", left, right);
  }
  budget_.make_items(first->items.size() + second->items.size());
  std::vector<Value> joined = first->items;
  joined.insert(joined.end(), second->items.begin(), second->items.end());
  return first->tuple ? Value::tuple(std::move(joined)) : Value::list(std::move(joined));
}

Value Interpreter::multiply(const Value& left, const Value& right) {
  if (left.is_integer() && !right.is_integer()) return multiply(right, left);
  if (!right.is_integer()) fail_operands("*", left, right);
  const auto count = static_cast<std::size_t>(std::max<std::int64_t>(0, right.integer()));
  const auto check = [count](std::size_t size) {
    if (size != 0 && count > kLargestRepetition / size) throw render_error("a repetition too long");
  };
  if (const std::string* text = left.string()) {
    check(text->size());
    budget_.make_text(text->size() * count);
    std::string result;
    for (std::size_t i = 0; i < count && !text->empty(); ++i) result += *text;
    return result;
  }
  const List* list = left.list();
  if (list == nullptr) fail_operands("*", left, right);
  check(list->items.size() * sizeof(Value));
  budget_.make_items(list->items.size() * count);
  std::vector<Value> result;
  for (std::size_t i = 0; i < count && !list->items.empty(); ++i) {
    result.insert(result.end(), list->items.begin(), list->items.end());
  }
  return list->tuple ? Value::tuple(std::move(result)) : Value::list(std::move(result));
}

Value Interpreter::evaluate_binary(const Expression& expression, const ScopePtr& scope) {
  const Value left = evaluate(*expression.children[0], scope);
  const Value right = evaluate(*expression.children[1], scope);
  const std::string& operation = expression.text;
  if (operation == "~") {
    std::string text = printed(left) + printed(right);
    budget_.make_text(text.size());
    return text;
  }
  if (operation == "%" && left.string() != nullptr) {
    const List* list = right.list();
    budget_.work(left.extent().weight);
    budget_.work(right.extent().weight);
    std::string text = format_percent(
        *left.string(), list != nullptr && list->tuple ? list->items : std::vector<Value>{right});
    budget_.make_text(text.size());
    return text;
  }
  if (!left.is_number() || !right.is_number()) {
    if (operation == "+") return add(left, right);
    if (operation == "*") return multiply(left, right);
    fail_operands(operation, left, right);
  }
  if (operation == "**") return power(left, right);
  if (operation == "/" || operation == "//" || operation == "%") {
    return divide(operation, left, right);
  }
  if (left.is_integer() && right.is_integer()) {
    return integer_operation(operation[0], left.integer(), right.integer());
  }
  if (operation == "+") return left.number() + right.number();
  if (operation == "-") return left.number() - right.number();
  return left.number() * right.number();
}

Value Interpreter::evaluate_comparison(const Expression& expression, const ScopePtr& scope) {
  Value left = evaluate(*expression.children[0], scope);
  for (std::size_t i = 0; i < expression.operators.size(); ++i) {
    Value right = evaluate(*expression.children[i + 1], scope);
    const std::string& operation = expression.operators[i];
    if (operation == "in" || operation == "not in") {
      budget_.work_across(left.extent().weight, right.extent().weight);
    } else {
      budget_.work(std::min(left.extent().weight, right.extent().weight));
    }
    if (!compare(operation, left, right)) return false;
    left = std::move(right);
  }
  return true;
}

Value Interpreter::evaluate_conditional(const Expression& expression, const ScopePtr& scope) {
  if (evaluate(*expression.children[1], scope).truthy()) {
    return evaluate(*expression.children[0], scope);
  }
  const ExpressionPtr& alternative = expression.children[2];
  if (alternative == nullptr) return Undefined{"the value of an if without else"};
  return evaluate(*alternative, scope);
}

Value Interpreter::evaluate_call(const Expression& expression, const ScopePtr& scope) {
  const Value callee = evaluate(*expression.children[0], scope);
  return call(callee, evaluate_arguments(expression, scope));
}

Value Interpreter::call(const Value& callee, const Arguments& arguments) {
  if (callee.is_undefined()) {
    throw render_error("\"" + callee.undefined().name + "\" is undefined and cannot be called");
  }
  if (callee.callable() == nullptr) {
    throw render_error("a " + std::string(callee.type_name()) + " cannot be called");
  }
  budget_.work_across(callee.extent().weight, weight_of(arguments));
  return made(callee.shared_callable()->call(*this, arguments));
}

Value Interpreter::made(Value result) {
  if (const std::string* text = result.string()) budget_.make_text(text->size());
  if (const List* list = result.list()) budget_.make_items(list->items.size());
  return result;
}

Value Interpreter::apply_filter(const std::string& name, const Value& subject,
                                const Arguments& arguments) {
  const Filter filter = find_filter(name);
  if (filter == nullptr) throw render_error("there is no filter \"" + name + "\"");
  const DepthGuard guard(*this, line_);  // a filter may apply others
  budget_.work_across(subject.extent().weight, weight_of(arguments));
  return made(filter(*this, subject, arguments));
}

bool Interpreter::apply_test(const std::string& name, const Value& subject,
                             const Arguments& arguments) {
  const Test test = find_test(name);
  if (test == nullptr) throw render_error("there is no test \"" + name + "\"");
  budget_.work_across(subject.extent().weight, weight_of(arguments));
  return test(subject, arguments);
}

Value Interpreter::filter_text(const Expression& expression, std::string text,
                               const ScopePtr& scope) {
  const DepthGuard guard(*this, expression.line);
  const ExpressionPtr& inner = expression.children[0];
  const Value subject =
      inner == nullptr ? Value(std::move(text)) : filter_text(*inner, std::move(text), scope);
  return apply_filter(expression.text, subject, evaluate_arguments(expression, scope));
}

}  // namespace lore::engine::jinja
