// What a question asks for, as terms that a full-text table can be asked for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lore::index {

/// A content word of a query, in a script with spaces.
struct QueryWord {
  std::string text;  ///< as the user wrote it
  std::string folded;
  std::string stem;
};

/// A query taken apart. Everything in it is letters, digits and, inside phrases, marks between
/// them; nothing keeps a meaning in SQL or FTS5 once in a full_text_string().
struct QueryTerms {
  std::vector<QueryWord> words;        ///< distinct by stem
  std::vector<std::string> phrases;    ///< words joined by a mark, as one: "E-42", "10.5"
  std::vector<std::string> spaceless;  ///< distinct runs of scripts without spaces
  bool empty() const { return words.empty() && spaceless.empty(); }
};

/// At most this many words, and characters of spaceless runs: a question has some; a pasted book
/// would make a search of hours.
inline constexpr std::size_t kQueryWords = 64;
inline constexpr std::size_t kQueryCharacters = 128;

/// Leaves out stop words, unless the query has nothing else.
QueryTerms query_terms(std::string_view query);

/// A string of FTS5's syntax (and of no other meaning), quotes doubled.
std::string full_text_string(std::string_view text);

/// The three-character windows of the runs that are long enough, distinct, for the trigram table.
std::vector<std::string> trigrams_of(const QueryTerms& terms);
/// The runs that are too short for it.
std::vector<std::string> short_runs_of(const QueryTerms& terms);
/// Two-character windows (a run of one: itself), distinct.
std::vector<std::string> bigrams_of(const QueryTerms& terms);

}  // namespace lore::index
