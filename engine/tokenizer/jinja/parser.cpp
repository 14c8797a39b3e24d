#include "engine/tokenizer/jinja/parser.hpp"

#include <algorithm>
#include <utility>

#include "engine/tokenizer/jinja/error.hpp"

namespace lore::engine::jinja {
namespace {

constexpr int kDeepestNesting = 100;

}  // namespace

Block parse(std::string_view source) { return Parser(tokenize(source)).parse_template(); }

NestingGuard::NestingGuard(Parser& parser) : parser_(parser) {
  if (parser_.nesting_ >= kDeepestNesting) {
    parser_.fail("it nests deeper than " + std::to_string(kDeepestNesting) + " levels");
  }
  ++parser_.nesting_;
}

const Token& Parser::ahead() const { return tokens_[std::min(position_ + 1, tokens_.size() - 1)]; }

void Parser::advance() {
  if (position_ + 1 < tokens_.size()) ++position_;
}

bool Parser::is_operation(std::string_view text) const {
  return current().kind == TokenKind::operation && current().text == text;
}

bool Parser::is_name(std::string_view text) const {
  return current().kind == TokenKind::name && current().text == text;
}

bool Parser::take_operation(std::string_view text) {
  if (!is_operation(text)) return false;
  advance();
  return true;
}

bool Parser::take_name(std::string_view text) {
  if (!is_name(text)) return false;
  advance();
  return true;
}

void Parser::expect_operation(std::string_view text) {
  if (!take_operation(text)) {
    fail(std::string(1, '"').append(text).append("\" is expected before ") + quote_current());
  }
}

std::string Parser::expect_name() {
  if (current().kind != TokenKind::name) fail("a name is expected before " + quote_current());
  std::string name = current().text;
  advance();
  return name;
}

void Parser::expect_block_end() {
  if (current().kind != TokenKind::block_end) fail(quote_current() + " is not understood here");
  advance();
}

void Parser::fail(const std::string& what) const { throw syntax_error(current().line, what); }

std::string Parser::quote_current() const {
  switch (current().kind) {
    case TokenKind::end:
      return "the end of the template";
    case TokenKind::block_end:
      return "%}";
    case TokenKind::variable_end:
      return "}}";
    case TokenKind::string:
      return "the string \"" + current().text + "\"";
    default:
      return std::string(1, '"').append(current().text).append(1, '"');
  }
}

Block Parser::parse_template() { return parse_until({}); }

/// Statements up to a block tag with one of these names, which is left to be read; to the end of
/// the source where none is given.
Block Parser::parse_until(const std::vector<std::string_view>& ends) {
  const NestingGuard guard(*this);
  Block block;
  for (;;) {
    Statement statement(StatementKind::text, current().line);
    switch (current().kind) {
      case TokenKind::end:
        if (!ends.empty()) fail("{% " + std::string(ends.back()) + " %} is missing");
        return block;
      case TokenKind::data:
        statement.text = current().text;
        advance();
        break;
      case TokenKind::variable_begin:
        advance();
        statement.kind = StatementKind::print;
        statement.expression = parse_tuple();
        if (current().kind != TokenKind::variable_end) {
          fail(quote_current() + " is not understood here");
        }
        advance();
        break;
      default: {
        advance();  // block_begin
        const bool ending = std::any_of(ends.begin(), ends.end(),
                                        [this](std::string_view name) { return is_name(name); });
        if (ending) return block;
        statement = parse_statement();
      }
    }
    block.push_back(std::move(statement));
  }
}

Statement Parser::parse_statement() {
  const int line = current().line;
  const std::string name = expect_name();
  if (name == "set") return parse_set(line);
  if (name == "if") return parse_if(line);
  if (name == "for") return parse_for(line);
  if (name == "macro") return parse_macro(line);
  if (name == "call") return parse_call_block(line);
  if (name == "filter") return parse_filter_block(line);
  if (name == "with") return parse_with(line);
  if (name == "generation") return parse_group(line);
  if (name == "break" || name == "continue") {
    expect_block_end();
    return {name == "break" ? StatementKind::break_loop : StatementKind::continue_loop, line};
  }
  throw syntax_error(line, "{% " + name + " %} is not understood here");
}

void Parser::end_block(std::string_view name) {
  if (!take_name(name)) fail("{% " + std::string(name) + " %} is expected");
  expect_block_end();
}

std::vector<Target> Parser::parse_targets(bool allow_attributes) {
  std::vector<Target> targets;
  const bool brackets = take_operation("(");
  do {
    if (!targets.empty() && !is_operation(",") && current().kind != TokenKind::name) break;
    Target target{expect_name(), {}};
    if (allow_attributes && take_operation(".")) target.attribute = expect_name();
    targets.push_back(std::move(target));
  } while (take_operation(","));
  if (brackets) expect_operation(")");
  return targets;
}

Statement Parser::parse_set(int line) {
  Statement statement(StatementKind::set, line);
  statement.targets = parse_targets(true);
  if (take_operation("=")) {
    statement.expression = parse_tuple();
    expect_block_end();
    return statement;
  }
  statement.kind = StatementKind::set_block;
  if (statement.targets.size() != 1) fail("a block can be set to one name only");
  if (is_operation("|")) statement.expression = parse_filters(nullptr);
  expect_block_end();
  statement.body = parse_until({"endset"});
  end_block("endset");
  return statement;
}

Statement Parser::parse_if(int line) {
  Statement statement(StatementKind::branch, line);
  statement.expression = parse_tuple();
  expect_block_end();
  statement.body = parse_until({"elif", "else", "endif"});
  if (is_name("elif")) {
    const NestingGuard guard(*this);
    const int branch_line = current().line;
    advance();
    statement.alternative.push_back(parse_if(branch_line));
    return statement;  // the inner one has read the endif
  }
  if (take_name("else")) {
    expect_block_end();
    statement.alternative = parse_until({"endif"});
  }
  end_block("endif");
  return statement;
}

Statement Parser::parse_for(int line) {
  Statement statement(StatementKind::loop, line);
  statement.targets = parse_targets(false);
  if (!take_name("in")) fail("\"in\" is expected before " + quote_current());
  // Without conditional expressions: an "if" here filters the items.
  statement.expression = parse_or();
  if (take_name("if")) statement.condition = parse_expression();
  if (is_name("recursive")) fail("recursive loops are not understood");
  expect_block_end();
  statement.body = parse_until({"else", "endfor"});
  if (take_name("else")) {
    expect_block_end();
    statement.alternative = parse_until({"endfor"});
  }
  end_block("endfor");
  return statement;
}

std::vector<Parameter> Parser::parse_parameters() {
  std::vector<Parameter> parameters;
  expect_operation("(");
  while (!take_operation(")")) {
    if (!parameters.empty()) {
      expect_operation(",");
      if (take_operation(")")) break;
    }
    Parameter parameter{expect_name(), nullptr};
    if (take_operation("=")) parameter.fallback = parse_expression();
    parameters.push_back(std::move(parameter));
  }
  return parameters;
}

Statement Parser::parse_macro(int line) {
  Statement statement(StatementKind::macro, line);
  statement.text = expect_name();
  statement.parameters = parse_parameters();
  expect_block_end();
  statement.body = parse_until({"endmacro"});
  advance();
  if (current().kind == TokenKind::name) advance();  // {% endmacro name %}
  expect_block_end();
  return statement;
}

Statement Parser::parse_call_block(int line) {
  Statement statement(StatementKind::call_block, line);
  if (is_operation("(")) statement.parameters = parse_parameters();
  statement.expression = parse_expression();
  if (statement.expression->kind != ExpressionKind::call) fail("{% call %} needs a call");
  expect_block_end();
  statement.body = parse_until({"endcall"});
  end_block("endcall");
  return statement;
}

Statement Parser::parse_filter_block(int line) {
  Statement statement(StatementKind::filter_block, line);
  statement.expression = parse_filters(nullptr, true);
  expect_block_end();
  statement.body = parse_until({"endfilter"});
  end_block("endfilter");
  return statement;
}

Statement Parser::parse_with(int line) {
  Statement statement(StatementKind::with_block, line);
  while (current().kind != TokenKind::block_end) {
    if (!statement.targets.empty()) expect_operation(",");
    statement.targets.push_back(Target{expect_name(), {}});
    expect_operation("=");
    statement.values.push_back(parse_expression());
  }
  expect_block_end();
  statement.body = parse_until({"endwith"});
  end_block("endwith");
  return statement;
}

Statement Parser::parse_group(int line) {
  Statement statement(StatementKind::group, line);
  expect_block_end();
  statement.body = parse_until({"endgeneration"});
  end_block("endgeneration");
  return statement;
}

}  // namespace lore::engine::jinja
