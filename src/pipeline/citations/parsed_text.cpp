#include "pipeline/citations/parsed_text.hpp"

#include <algorithm>

#include "base/utf8.hpp"
#include "pipeline/citations/sentences.hpp"
#include "pipeline/citations/tables.hpp"

namespace lore::pipeline::citations {

Tokens tokens_within(Tokens tokens, const TextSpan& span) {
  const auto at = [&](std::size_t position) {
    return std::lower_bound(
        tokens.begin(), tokens.end(), position,
        [](const Token& token, std::size_t bound) { return token.start < bound; });
  };
  return {at(span.start), at(span.end)};
}

ParsedText::ParsedText(std::string_view utf8)
    : text(utf8::decode(utf8)),
      tokens(tokenize(utf8)),
      spans(find_sentences(text, LineEnds::guessed)),
      heads(column_heads(text, tokens, spans)) {}

}  // namespace lore::pipeline::citations
