// A page or passage as tokens and sentences, with the tables among them.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "pipeline/citations/citations.hpp"
#include "pipeline/citations/segments.hpp"
#include "pipeline/citations/tokens.hpp"

namespace lore::pipeline::citations {

/// The tokens that begin in a span of the text that `tokens` are of.
Tokens tokens_within(Tokens tokens, const TextSpan& span);

struct ParsedText {
  explicit ParsedText(std::string_view utf8);

  std::vector<char32_t> text;
  std::vector<Token> tokens;
  std::vector<TextSpan> spans;     ///< of the sentences, in order
  std::vector<std::size_t> heads;  ///< [sentence], as column_heads() gives them

  Tokens sentence(std::size_t index) const { return tokens_within(tokens, spans[index]); }
  bool has_head(std::size_t sentence) const { return heads[sentence] != sentence; }
};

}  // namespace lore::pipeline::citations
