// A light stemmer for English and German: makes the forms of a word equal, not right.
#pragma once

#include <string>
#include <string_view>

namespace lore::index {

/// `word` folded as split_words does. Takes off endings of number, case and tense ("alarms",
/// "alarmed", "alarming" → "alarm"; "pumpen", "pumpe" → "pump"). At least three letters stay. Words
/// with digits or letters outside a–z are left as they are, but for a final "s".
std::string stem(std::string_view word);

}  // namespace lore::index
