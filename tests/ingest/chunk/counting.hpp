// Stand-ins for a model's token counter, each with another habit that a chunker must bear.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/utf8.hpp"
#include "ingest/chunk/characters.hpp"

namespace lore::test {

/// As WordPiece: pieces of words of up to five letters, every sign and ideograph alone, two special
/// tokens. The count of a text is the sum of its words'.
inline std::size_t count_word_pieces(std::string_view text) {
  std::size_t tokens = 2;
  std::size_t letters = 0;
  for (std::size_t i = 0; i < text.size();) {
    const char32_t c = utf8::next(text, i);
    const bool sign = c < 0x80 && !ingest::is_white_space(c) && !(c >= '0' && c <= '9') &&
                      !((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
    if (ingest::is_white_space(c)) {
      letters = 0;
    } else if (sign || ingest::is_ideographic(c) || ingest::is_cjk_punctuation(c)) {
      ++tokens;
      letters = 0;
    } else if (letters++ % 5 == 0) {
      ++tokens;
    }
  }
  return tokens;
}

/// One token a byte, white space included, as a byte-level model without merges; one special.
inline std::size_t count_bytes(std::string_view text) { return text.size() + 1; }

/// Rounds down, so that parts have fewer tokens than their whole: the plan's sum is too low.
inline std::size_t count_rounded(std::string_view text) { return 3 + text.size() / 7; }

/// One token for a word of any length, as a vocabulary with an unknown token has; white space that
/// is no single space costs one more.
inline std::size_t count_words(std::string_view text) {
  std::size_t tokens = 1;
  bool inside = false;
  for (const char c : text) {
    const bool space = c == ' ' || c == '\n' || c == '\t' || c == '\f';
    if (space && c != ' ') ++tokens;
    if (!space && !inside) ++tokens;
    inside = !space;
  }
  return tokens;
}

}  // namespace lore::test
