// The syntax tree of a chat template.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/tokenizer/jinja/value.hpp"

namespace lore::engine::jinja {

struct Expression;
struct Statement;
using ExpressionPtr = std::unique_ptr<Expression>;
using Block = std::vector<Statement>;

enum class ExpressionKind {
  literal,      ///< `value`
  name,         ///< `text`
  list,         ///< children
  tuple,        ///< children
  dict,         ///< children: key, value, key, value …
  attribute,    ///< children[0] . text
  item,         ///< children[0] [ children[1] ]
  slice,        ///< children[0] [ children[1] : children[2] : children[3] ], null where left out
  call,         ///< children[0] ( the rest, keywords )
  filter,       ///< children[0] | text ( the rest, keywords ); null child in a filter block
  test,         ///< children[0] is text ( the rest, keywords )
  negation,     ///< not children[0]
  unary,        ///< text ("-" or "+") children[0]
  binary,       ///< children[0] text children[1]
  comparison,   ///< children[0] operators[0] children[1] operators[1] …
  logical_and,  ///< two children
  logical_or,   ///< two children
  conditional,  ///< children: value, condition, alternative (may be null)
};

struct Expression {
  ExpressionKind kind;
  int line = 1;
  int depth = 1;  ///< longest way down; limits recursion
  std::string text;
  Value value;
  std::vector<ExpressionPtr> children;
  std::vector<std::pair<std::string, ExpressionPtr>> keywords;
  std::vector<std::string> operators;
};

enum class StatementKind {
  text,          ///< `text`
  print,         ///< `expression`
  set,           ///< targets = expression
  set_block,     ///< targets[0] = rendered `body`, through the filters of `expression` (or null)
  branch,        ///< if `expression` then `body` else `alternative`
  loop,          ///< for targets in expression if condition: body, else alternative
  macro,         ///< `text`: name; parameters; body
  call_block,    ///< expression is the call; parameters; body is its caller()
  filter_block,  ///< body through the filters of `expression`
  with_block,    ///< targets, values; body
  group,         ///< body alone ({% generation %})
  break_loop,
  continue_loop,
};

/// A place to assign to: a name, or a namespace's attribute.
struct Target {
  std::string name;
  std::string attribute;  ///< empty for a plain name
};

struct Parameter {
  std::string name;
  ExpressionPtr fallback;  ///< null where there is none
};

struct Statement {
  Statement(StatementKind statement_kind, int statement_line)
      : kind(statement_kind), line(statement_line) {}

  StatementKind kind;
  int line;
  std::string text;
  ExpressionPtr expression;
  ExpressionPtr condition;
  std::vector<Target> targets;
  std::vector<ExpressionPtr> values;
  std::vector<Parameter> parameters;
  Block body;
  Block alternative;
};

}  // namespace lore::engine::jinja
