// Text made comparable: one form for what readers take as the same.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace lore::pipeline::citations {

/// Stands where a word was broken at a line's end: "pres-\nsure". Whether the hyphen belongs to the
/// word ("oil-\nfilled") cannot be known, so both readings are kept. (A private-use code point.)
inline constexpr char32_t kLineHyphen = U'\uE0A0';

/// Folded characters, and the code point of the text that each comes from.
struct Folded {
  std::vector<char32_t> text;
  std::vector<std::size_t> origin;  ///< as many as text
  std::vector<char32_t> original;   ///< the text's own code points
};

/// Case-folded, compatibility forms and ligatures taken apart, accents and soft hyphens removed,
/// hyphens and dashes as '-', apostrophes as '\'', white space as ' ' but line ends as '\n', a
/// hyphen before a line end as kLineHyphen.
Folded fold(std::string_view text);

bool is_letter(char32_t c);
bool is_digit(char32_t c);  ///< 0 to 9; other digits have been folded to them
bool is_upper(char32_t c);
/// Han, kana, Thai, Lao, Khmer, Burmese: written without spaces between words.
bool is_unspaced(char32_t c);

}  // namespace lore::pipeline::citations
