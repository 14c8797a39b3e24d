// The expression half of the parser.
#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "engine/tokenizer/jinja/builtins.hpp"
#include "engine/tokenizer/jinja/error.hpp"
#include "engine/tokenizer/jinja/parser.hpp"

namespace lore::engine::jinja {
namespace {

constexpr int kDeepestTree = 200;  // what the evaluator's recursion can bear

bool is_comparison(std::string_view text) {
  constexpr std::array<std::string_view, 6> kOperators = {"==", "!=", "<", "<=", ">", ">="};
  return std::find(kOperators.begin(), kOperators.end(), text) != kOperators.end();
}

}  // namespace

ExpressionPtr Parser::make(ExpressionKind kind, std::string text) const {
  auto expression = std::make_unique<Expression>();
  expression->kind = kind;
  expression->line = current().line;
  expression->text = std::move(text);
  return expression;
}

/// Computes the depth of a complete node and refuses trees that are too deep.
ExpressionPtr Parser::finish(ExpressionPtr expression) const {
  int deepest = 0;
  for (const ExpressionPtr& child : expression->children) {
    if (child != nullptr) deepest = std::max(deepest, child->depth);
  }
  for (const auto& [name, argument] : expression->keywords) {
    deepest = std::max(deepest, argument->depth);
  }
  expression->depth = deepest + 1;
  if (expression->depth > kDeepestTree) {
    throw syntax_error(expression->line,
                       "an expression is longer than " + std::to_string(kDeepestTree) + " steps");
  }
  return expression;
}

ExpressionPtr Parser::binary(ExpressionPtr left, std::string operation, ExpressionPtr right) const {
  ExpressionPtr result = make(ExpressionKind::binary, std::move(operation));
  result->children.push_back(std::move(left));
  result->children.push_back(std::move(right));
  return finish(std::move(result));
}

/// An expression, or several with commas between them.
ExpressionPtr Parser::parse_tuple() {
  ExpressionPtr first = parse_expression();
  if (!is_operation(",")) return first;
  ExpressionPtr tuple = make(ExpressionKind::tuple);
  tuple->children.push_back(std::move(first));
  while (take_operation(",")) {
    if (current().kind == TokenKind::variable_end || current().kind == TokenKind::block_end) break;
    tuple->children.push_back(parse_expression());
  }
  return finish(std::move(tuple));
}

ExpressionPtr Parser::parse_expression() {
  const NestingGuard guard(*this);
  ExpressionPtr result = parse_or();
  while (take_name("if")) {
    ExpressionPtr conditional = make(ExpressionKind::conditional);
    conditional->children.push_back(std::move(result));
    conditional->children.push_back(parse_or());
    conditional->children.push_back(take_name("else") ? parse_expression() : nullptr);
    result = finish(std::move(conditional));
  }
  return result;
}

ExpressionPtr Parser::parse_or() {
  ExpressionPtr left = parse_and();
  while (take_name("or")) {
    ExpressionPtr either = make(ExpressionKind::logical_or);
    either->children.push_back(std::move(left));
    either->children.push_back(parse_and());
    left = finish(std::move(either));
  }
  return left;
}

ExpressionPtr Parser::parse_and() {
  ExpressionPtr left = parse_not();
  while (take_name("and")) {
    ExpressionPtr both = make(ExpressionKind::logical_and);
    both->children.push_back(std::move(left));
    both->children.push_back(parse_not());
    left = finish(std::move(both));
  }
  return left;
}

ExpressionPtr Parser::parse_not() {
  if (!is_name("not")) return parse_comparison();
  const NestingGuard guard(*this);
  ExpressionPtr negation = make(ExpressionKind::negation);
  advance();
  negation->children.push_back(parse_not());
  return finish(std::move(negation));
}

ExpressionPtr Parser::parse_comparison() {
  ExpressionPtr left = parse_sum();
  ExpressionPtr comparison;
  for (;;) {
    std::string operation;
    if (current().kind == TokenKind::operation && is_comparison(current().text)) {
      operation = current().text;
      advance();
    } else if (take_name("in")) {
      operation = "in";
    } else if (is_name("not") && ahead().kind == TokenKind::name && ahead().text == "in") {
      advance();
      advance();
      operation = "not in";
    } else {
      break;
    }
    if (comparison == nullptr) {
      comparison = make(ExpressionKind::comparison);
      comparison->children.push_back(std::move(left));
    }
    comparison->operators.push_back(std::move(operation));
    comparison->children.push_back(parse_sum());
  }
  return comparison == nullptr ? std::move(left) : finish(std::move(comparison));
}

ExpressionPtr Parser::parse_sum() {
  ExpressionPtr left = parse_concatenation();
  while (is_operation("+") || is_operation("-")) {
    std::string operation = current().text;
    advance();
    left = binary(std::move(left), std::move(operation), parse_concatenation());
  }
  return left;
}

ExpressionPtr Parser::parse_concatenation() {
  ExpressionPtr left = parse_product();
  while (take_operation("~")) left = binary(std::move(left), "~", parse_product());
  return left;
}

ExpressionPtr Parser::parse_product() {
  ExpressionPtr left = parse_power();
  while (is_operation("*") || is_operation("/") || is_operation("//") || is_operation("%")) {
    std::string operation = current().text;
    advance();
    left = binary(std::move(left), std::move(operation), parse_power());
  }
  return left;
}

ExpressionPtr Parser::parse_power() {
  ExpressionPtr left = parse_unary();
  while (take_operation("**")) left = binary(std::move(left), "**", parse_unary());
  return left;
}

ExpressionPtr Parser::parse_unary(bool with_filters) {
  const NestingGuard guard(*this);
  ExpressionPtr expression;
  if (is_operation("-") || is_operation("+")) {
    expression = make(ExpressionKind::unary, current().text);
    advance();
    expression->children.push_back(parse_unary(false));
    expression = finish(std::move(expression));
  } else {
    expression = parse_primary();
  }
  expression = parse_postfix(std::move(expression));
  return with_filters ? parse_filters_and_tests(std::move(expression)) : std::move(expression);
}

ExpressionPtr Parser::parse_number() {
  ExpressionPtr literal = make(ExpressionKind::literal);
  const std::string& text = current().text;
  if (current().kind == TokenKind::integer) {
    std::int64_t number = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), number).ec != std::errc()) {
      fail("the number " + text + " is too large");
    }
    literal->value = number;
  } else {
    double number = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), number).ec != std::errc()) {
      fail("the number " + text + " is out of range");
    }
    literal->value = number;
  }
  advance();
  return literal;
}

ExpressionPtr Parser::parse_primary() {
  const Token& token = current();
  if (token.kind == TokenKind::integer || token.kind == TokenKind::real) return parse_number();
  if (token.kind == TokenKind::string) {
    ExpressionPtr literal = make(ExpressionKind::literal);
    std::string text;
    for (; current().kind == TokenKind::string; advance()) text += current().text;
    literal->value = std::move(text);
    return literal;
  }
  if (token.kind == TokenKind::operation) return parse_brackets();
  if (token.kind != TokenKind::name) fail("an expression is expected before " + quote_current());
  ExpressionPtr result = make(ExpressionKind::name, token.text);
  const std::string& name = token.text;
  if (name == "true" || name == "True" || name == "false" || name == "False") {
    result->kind = ExpressionKind::literal;
    result->value = name == "true" || name == "True";
  } else if (name == "none" || name == "None") {
    result->kind = ExpressionKind::literal;
  }
  advance();
  return result;
}

/// ( … ), [ … ] and { … }.
ExpressionPtr Parser::parse_brackets() {
  if (take_operation("(")) {
    ExpressionPtr tuple = make(ExpressionKind::tuple);
    bool comma = false;
    while (!take_operation(")")) {
      tuple->children.push_back(parse_expression());
      if (!is_operation(")")) {
        expect_operation(",");
        comma = true;
      }
    }
    const bool grouping = tuple->children.size() == 1 && !comma;
    return grouping ? std::move(tuple->children[0]) : finish(std::move(tuple));
  }
  if (take_operation("[")) {
    ExpressionPtr list = make(ExpressionKind::list);
    while (!take_operation("]")) {
      list->children.push_back(parse_expression());
      if (!is_operation("]")) expect_operation(",");
    }
    return finish(std::move(list));
  }
  if (take_operation("{")) {
    ExpressionPtr dict = make(ExpressionKind::dict);
    while (!take_operation("}")) {
      dict->children.push_back(parse_expression());
      expect_operation(":");
      dict->children.push_back(parse_expression());
      if (!is_operation("}")) expect_operation(",");
    }
    return finish(std::move(dict));
  }
  fail("an expression is expected before " + quote_current());
}

ExpressionPtr Parser::parse_postfix(ExpressionPtr expression) {
  for (;;) {
    if (take_operation(".")) {
      ExpressionPtr access;
      if (current().kind == TokenKind::integer) {
        access = make(ExpressionKind::item);
        access->children.push_back(std::move(expression));
        access->children.push_back(parse_number());
      } else {
        access = make(ExpressionKind::attribute, expect_name());
        access->children.push_back(std::move(expression));
      }
      expression = finish(std::move(access));
    } else if (take_operation("[")) {
      expression = parse_subscript(std::move(expression));
    } else if (is_operation("(")) {
      ExpressionPtr call = make(ExpressionKind::call);
      call->children.push_back(std::move(expression));
      parse_arguments(*call);
      expression = finish(std::move(call));
    } else {
      return expression;
    }
  }
}

/// After "[": an index, or start : stop : step.
ExpressionPtr Parser::parse_subscript(ExpressionPtr expression) {
  ExpressionPtr access = make(ExpressionKind::item);
  access->children.push_back(std::move(expression));
  access->children.push_back(is_operation(":") ? nullptr : parse_expression());
  while (take_operation(":")) {
    access->kind = ExpressionKind::slice;
    const bool empty = is_operation(":") || is_operation("]");
    access->children.push_back(empty ? nullptr : parse_expression());
  }
  if (access->kind == ExpressionKind::slice) {
    if (access->children.size() > 4) fail("a slice has more than three parts");
    access->children.resize(4);
  }
  expect_operation("]");
  return finish(std::move(access));
}

void Parser::parse_arguments(Expression& call) {
  expect_operation("(");
  for (bool first = true; !take_operation(")"); first = false) {
    if (!first) {
      expect_operation(",");
      if (take_operation(")")) return;
    }
    if (is_operation("*") || is_operation("**")) fail("* and ** in a call are not understood");
    const bool named = current().kind == TokenKind::name && ahead().kind == TokenKind::operation &&
                       ahead().text == "=";
    if (named) {
      std::string name = expect_name();
      advance();
      call.keywords.emplace_back(std::move(name), parse_expression());
    } else {
      if (!call.keywords.empty()) fail("a plain argument stands after a named one");
      call.children.push_back(parse_expression());
    }
  }
}

/// "| name(…)" once or more. `start_inside`: the first bar was left out ({% filter name %}).
ExpressionPtr Parser::parse_filters(ExpressionPtr expression, bool start_inside) {
  while (start_inside || take_operation("|")) {
    start_inside = false;
    ExpressionPtr filter = make(ExpressionKind::filter, expect_name());
    if (!is_filter(filter->text)) fail("the filter \"" + filter->text + "\" is not understood");
    filter->children.push_back(std::move(expression));
    if (is_operation("(")) parse_arguments(*filter);
    expression = finish(std::move(filter));
  }
  return expression;
}

ExpressionPtr Parser::parse_filters_and_tests(ExpressionPtr expression) {
  for (;;) {
    if (is_operation("|")) {
      expression = parse_filters(std::move(expression));
    } else if (take_name("is")) {
      expression = parse_test(std::move(expression));
    } else if (is_operation("(")) {
      ExpressionPtr call = make(ExpressionKind::call);
      call->children.push_back(std::move(expression));
      parse_arguments(*call);
      expression = finish(std::move(call));
    } else {
      return expression;
    }
  }
}

/// After "is": [not] name, with arguments in brackets or one without.
ExpressionPtr Parser::parse_test(ExpressionPtr expression) {
  const bool negated = take_name("not");
  ExpressionPtr test = make(ExpressionKind::test, expect_name());
  if (!is_test(test->text)) fail("the test \"is " + test->text + "\" is not understood");
  test->children.push_back(std::move(expression));
  const TokenKind kind = current().kind;
  const bool starts_operand = kind == TokenKind::name || kind == TokenKind::string ||
                              kind == TokenKind::integer || kind == TokenKind::real ||
                              is_operation("[") || is_operation("{");
  const bool connective = is_name("else") || is_name("or") || is_name("and") || is_name("is") ||
                          is_name("if") || is_name("in") || is_name("not");
  if (is_operation("(")) {
    parse_arguments(*test);
  } else if (starts_operand && !connective) {
    test->children.push_back(parse_postfix(parse_primary()));
  }
  test = finish(std::move(test));
  if (!negated) return test;
  ExpressionPtr negation = make(ExpressionKind::negation);
  negation->children.push_back(std::move(test));
  return finish(std::move(negation));
}

}  // namespace lore::engine::jinja
