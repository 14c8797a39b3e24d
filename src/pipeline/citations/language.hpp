// The little that the checks know of English, German and Chinese.
#pragma once

#include <string>
#include <string_view>

namespace lore::pipeline::citations {

enum class Language { unknown, english, german };

/// Articles, pronouns, prepositions, auxiliaries: words that carry no claim. Folded spelling.
bool is_function_word(std::string_view word);
/// The language that this function word tells, unknown for words of both or neither.
Language language_of(std::string_view word);
/// "it", "this", "diese": a subject that stands for one in the sentence before.
bool is_pronoun(std::string_view word);
/// "not", "no", "without", "unless", "kein", "ohne" … ("n't" is one too).
bool is_negation(std::string_view word);
bool is_negation(char32_t character);  ///< 不, 没, 无 …
/// "and", "but", "while", "und", "aber": a new clause may begin here.
bool is_conjunction(std::string_view word);
/// 的, 了, 是 …: characters that carry no claim.
bool is_function_character(char32_t character);
/// "ation", "ment", "ung": endings that derive a word from a stem of like meaning.
bool is_derivation(std::string_view ending);
/// The stem of "instead", "rather", "statt": what follows is what does not hold.
bool is_rejection(std::string_view word);
/// "is", "must", "wurde": what has one is a clause, not a phrase.
bool is_auxiliary(std::string_view word);
/// "ON", "MUST", "AND": set in capitals to give them weight.
bool is_emphasized(std::string_view word);
bool is_article(std::string_view word);
/// "than", "als".
bool is_comparison(std::string_view word);

/// A word without its ending, so that forms of one word are equal: "pumps", "pumped" → "pump".
std::string stem(std::string_view word);

/// Whether one of two stems cannot stand for the other: inlet and outlet, open and closed, red and
/// green, weekly and monthly.
bool are_contrary(std::string_view first, std::string_view second);

/// "twelve", "zwölf" → 12 (to nineteen, and the tens); -1 for other words.
int number_word(std::string_view word);

}  // namespace lore::pipeline::citations
