#include "pipeline/citations/verbatim.hpp"

#include <algorithm>
#include <string>

#include "base/utf8.hpp"
#include "pipeline/citations/fold.hpp"
#include "pipeline/citations/sentences.hpp"
#include "pipeline/citations/tokens.hpp"

namespace lore::pipeline::citations {
namespace {

bool is_space(char32_t c) { return c == U' ' || c == U'\n'; }

/// The folded text without white space, hyphens and the full stop at its end. Between digits white
/// space stays, and so do dashes before digits: "5 10" is not 510, and -5 not 5.
std::u32string bare_text(std::string_view text) {
  const std::vector<char32_t> folded = fold(text).text;
  std::u32string bare;
  bool blank = false;
  for (std::size_t i = 0; i < folded.size(); ++i) {
    const char32_t c = folded[i];
    const bool digit_follows = i + 1 < folded.size() && is_digit(folded[i + 1]);
    if (is_space(c)) {
      blank = true;
    } else if (c != kLineHyphen && (c != U'-' || digit_follows)) {
      if (blank && is_digit(c) && !bare.empty() && is_digit(bare.back())) bare += U' ';
      bare += c;
      blank = false;
    }
  }
  while (!bare.empty() && (bare.back() == U'.' || bare.back() == U'\u3002')) bare.pop_back();
  return bare;
}

std::vector<Token> figures_of(std::string_view text) {
  std::vector<Token> tokens = tokenize(text);
  tokens.erase(std::remove_if(tokens.begin(), tokens.end(),
                              [](const Token& token) { return token.kind != TokenKind::figure; }),
               tokens.end());
  return tokens;
}

/// Folding makes mW of MW; the figures tell them apart. (A unit broken at a line's end is none.)
bool same_figures(std::string_view first, std::string_view second) {
  const std::vector<Token> own = figures_of(first);
  const std::vector<Token> other = figures_of(second);
  return std::equal(
      own.begin(), own.end(), other.begin(), other.end(), [](const Token& a, const Token& b) {
        const bool one_unit =
            a.figure.unit.empty() || b.figure.unit.empty() || a.figure.unit == b.figure.unit;
        return one_unit && a.figure.values == b.figure.values;
      });
}

}  // namespace

TextSpan find_verbatim(std::string_view sentence, std::string_view page) {
  const std::u32string wanted = bare_text(sentence);
  const std::vector<TextSpan> spans = find_sentences(utf8::decode(page), LineEnds::joined);
  for (std::size_t first = 0; first < spans.size(); ++first) {
    for (std::size_t last = first; last < std::min(first + 2, spans.size()); ++last) {
      const TextSpan span{spans[first].start, spans[last].end};
      // Folding seldom shortens a text, and never to half.
      if (span.end - span.start < wanted.size() / 2) continue;
      const std::string_view found = utf8::slice(page, span.start, span.end);
      if (bare_text(found) == wanted && same_figures(sentence, found)) return span;
    }
  }
  return {};
}

}  // namespace lore::pipeline::citations
