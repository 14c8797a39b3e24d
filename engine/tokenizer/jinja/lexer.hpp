// Template source to tokens.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lore::engine::jinja {

enum class TokenKind {
  data,            ///< text outside tags
  variable_begin,  ///< {{
  variable_end,
  block_begin,  ///< {%
  block_end,
  name,
  integer,
  real,
  string,     ///< text with its escapes resolved
  operation,  ///< + - * / // % ** ~ == != < <= > >= = . , : | ( ) [ ] { }
  end,
};

struct Token {
  TokenKind kind = TokenKind::end;
  std::string text;
  int line = 1;
};

/// Cuts a template as Jinja2 does with trim_blocks and lstrip_blocks: a newline after a block tag
/// goes, and so does white space before one at the start of its line; "-" and "+" at a tag's ends
/// override this; comments vanish, raw blocks become data. Line ends are made \n and one at the end
/// of the source is dropped. Throws Error{unsupported} with the line.
std::vector<Token> tokenize(std::string_view source);

}  // namespace lore::engine::jinja
