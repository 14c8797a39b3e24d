// Words that say nothing about what a question is about.
#pragma once

#include <string_view>
#include <vector>

#include "index/retrieve/words.hpp"

namespace lore::index {

/// For each word of a query: whether it says nothing. English and German; which of the two lists
/// counts follows from the words that only one of them has, so that "not" is kept in a German
/// query (an emergency) and "die" in an English one.
std::vector<bool> stop_words(const std::vector<Word>& query);

}  // namespace lore::index
