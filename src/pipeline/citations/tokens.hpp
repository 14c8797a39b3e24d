// A text as the checks see it: words, figures, negations, clauses.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/citations/figures.hpp"
#include "pipeline/citations/language.hpp"

namespace lore::pipeline::citations {

enum class TokenKind {
  content,   ///< a word that carries a claim, or two neighbouring characters
  function,  ///< one that does not
  figure,
  negation,
  boundary,  ///< a comma, a semicolon, a bracket, a conjunction: a clause may end here
};

struct Token {
  TokenKind kind = TokenKind::content;
  std::string text;   ///< the stem of a word; for a function word the word itself
  std::string other;  ///< the second reading of a word broken at a line's end: its parts, by blank
  Figure figure;
  std::size_t start = 0;  ///< code points of the text
  std::size_t end = 0;
  bool capital = false;  ///< written with a capital first letter
};

/// The language that most of the function words tell.
Language language_of(std::span<const Token> tokens);

/// The tokens of a text, in order.
std::vector<Token> tokenize(std::string_view text);

/// Whether two words are forms of one: equal stems, or one derived from the other ("install",
/// "installation").
bool same_word(std::string_view first, std::string_view second);
bool matches_word(const Token& page_token, std::string_view word);

}  // namespace lore::pipeline::citations
