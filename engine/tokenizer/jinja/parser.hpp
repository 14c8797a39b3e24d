// Tokens to a syntax tree.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/tokenizer/jinja/ast.hpp"
#include "engine/tokenizer/jinja/lexer.hpp"

namespace lore::engine::jinja {

/// Parses a whole template. Throws Error{unsupported} that quotes the construct and its line; so it
/// does for one that nests deeper than any template needs.
Block parse(std::string_view source);

/// The recursive-descent parser. Precedence is Jinja2's. Thread safety: one thread at a time.
class Parser {
 public:
  explicit Parser(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  /// Everything to the end of the source.
  Block parse_template();

 private:
  friend class NestingGuard;

  // Tokens (parser.cpp)
  const Token& current() const { return tokens_[position_]; }
  const Token& ahead() const;
  void advance();
  bool is_operation(std::string_view text) const;
  bool is_name(std::string_view text) const;
  bool take_operation(std::string_view text);
  bool take_name(std::string_view text);
  void expect_operation(std::string_view text);
  std::string expect_name();
  void expect_block_end();
  [[noreturn]] void fail(const std::string& what) const;
  std::string quote_current() const;

  // Statements (parser.cpp)
  Block parse_until(const std::vector<std::string_view>& ends);
  Statement parse_statement();
  Statement parse_set(int line);
  Statement parse_if(int line);
  Statement parse_for(int line);
  Statement parse_macro(int line);
  Statement parse_call_block(int line);
  Statement parse_filter_block(int line);
  Statement parse_with(int line);
  Statement parse_group(int line);
  std::vector<Parameter> parse_parameters();
  std::vector<Target> parse_targets(bool allow_attributes);
  void end_block(std::string_view name);

  // Expressions (parse_expression.cpp)
  ExpressionPtr make(ExpressionKind kind, std::string text = {}) const;
  ExpressionPtr finish(ExpressionPtr expression) const;
  ExpressionPtr parse_tuple();
  ExpressionPtr parse_expression();
  ExpressionPtr parse_or();
  ExpressionPtr parse_and();
  ExpressionPtr parse_not();
  ExpressionPtr parse_comparison();
  ExpressionPtr parse_sum();
  ExpressionPtr parse_concatenation();
  ExpressionPtr parse_product();
  ExpressionPtr parse_power();
  ExpressionPtr parse_unary(bool with_filters = true);
  ExpressionPtr parse_primary();
  ExpressionPtr parse_postfix(ExpressionPtr expression);
  ExpressionPtr parse_filters(ExpressionPtr expression, bool start_inside = false);
  ExpressionPtr parse_filters_and_tests(ExpressionPtr expression);
  ExpressionPtr parse_test(ExpressionPtr expression);
  ExpressionPtr parse_subscript(ExpressionPtr expression);
  ExpressionPtr parse_brackets();
  ExpressionPtr parse_number();
  ExpressionPtr binary(ExpressionPtr left, std::string operation, ExpressionPtr right) const;
  void parse_arguments(Expression& call);

  std::vector<Token> tokens_;
  std::size_t position_ = 0;
  int nesting_ = 0;
};

/// Counts how deep the parser stands in brackets and blocks, and stops it before the stack ends.
class NestingGuard {
 public:
  explicit NestingGuard(Parser& parser);
  ~NestingGuard() { --parser_.nesting_; }
  NestingGuard(const NestingGuard&) = delete;
  NestingGuard& operator=(const NestingGuard&) = delete;

 private:
  Parser& parser_;
};

}  // namespace lore::engine::jinja
