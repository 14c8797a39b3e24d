#include "index/retrieve/query_terms.hpp"

#include <algorithm>

#include "index/retrieve/stem.hpp"
#include "index/retrieve/stop_words.hpp"
#include "index/retrieve/words.hpp"

namespace lore::index {
namespace {

void add_distinct(std::vector<std::string>& list, std::string entry) {
  if (std::find(list.begin(), list.end(), entry) == list.end()) list.push_back(std::move(entry));
}

// A single letter says something only as part of a name ("E-42"), which has a phrase of its own.
bool has_content(const Word& word) { return word.spaceless || word.has_digit || word.length > 1; }

void add_word(QueryTerms& terms, const Word& word, std::string_view text) {
  std::string root = stem(word.folded);
  const bool known = std::any_of(terms.words.begin(), terms.words.end(),
                                 [&](const QueryWord& other) { return other.stem == root; });
  if (known || terms.words.size() == kQueryWords) return;
  terms.words.push_back({std::string(text), word.folded, std::move(root)});
}

void add_phrases(QueryTerms& terms, const std::vector<Word>& words, std::string_view query) {
  for (std::size_t i = 0; i < words.size();) {
    std::size_t last = i;
    while (last + 1 < words.size() && words[last + 1].joined && !words[last + 1].spaceless) ++last;
    if (last > i && !words[i].spaceless && terms.phrases.size() < kQueryWords) {
      // "don't" and "pump's" are joined too, and are no names.
      const bool apostrophe = query[words[i].end] == '\'' || words[last].length == 1;
      const bool digits = std::any_of(words.begin() + static_cast<std::ptrdiff_t>(i),
                                      words.begin() + static_cast<std::ptrdiff_t>(last) + 1,
                                      [](const Word& word) { return word.has_digit; });
      if (digits || !apostrophe) {
        add_distinct(terms.phrases,
                     std::string(query.substr(words[i].begin, words[last].end - words[i].begin)));
      }
    }
    i = last + 1;
  }
}

std::vector<std::string> windows(const std::vector<std::string>& runs, std::size_t size) {
  std::vector<std::string> result;
  for (const std::string& run : runs) {
    const std::vector<std::string> all = characters(run);
    for (std::size_t i = 0; i + size <= all.size(); ++i) {
      std::string window;
      for (std::size_t k = 0; k < size; ++k) window += all[i + k];
      add_distinct(result, std::move(window));
    }
  }
  return result;
}

}  // namespace

QueryTerms query_terms(std::string_view query) {
  // Words beyond this are never looked at: see kQueryWords.
  constexpr std::size_t kReadBytes = std::size_t{16} * 1024;
  const std::vector<Word> words = split_words(query.substr(0, kReadBytes));
  const std::vector<bool> stops = stop_words(words);
  const auto collect = [&](bool take_stops) {
    QueryTerms terms;
    std::size_t room = kQueryCharacters;
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (!take_stops && (stops[i] || !has_content(words[i]))) continue;
      if (!words[i].spaceless) {
        add_word(terms, words[i], query.substr(words[i].begin, words[i].end - words[i].begin));
      } else if (room > 0) {
        std::string run;
        for (const std::string& character : characters(words[i].folded)) {
          if (room == 0) break;
          run += character;
          --room;
        }
        add_distinct(terms.spaceless, std::move(run));
      }
    }
    return terms;
  };
  QueryTerms terms = collect(false);
  if (terms.empty()) terms = collect(true);
  add_phrases(terms, words, query);
  return terms;
}

std::string full_text_string(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '\0') continue;  // it would end the expression
    result += c;
    if (c == '"') result += c;
  }
  return result + "\"";
}

std::vector<std::string> trigrams_of(const QueryTerms& terms) {
  return windows(terms.spaceless, 3);
}

std::vector<std::string> short_runs_of(const QueryTerms& terms) {
  std::vector<std::string> result;
  for (const std::string& run : terms.spaceless) {
    if (characters(run).size() < 3) result.push_back(run);
  }
  return result;
}

std::vector<std::string> bigrams_of(const QueryTerms& terms) {
  std::vector<std::string> result = windows(terms.spaceless, 2);
  for (const std::string& run : terms.spaceless) {
    if (characters(run).size() == 1) add_distinct(result, run);
  }
  return result;
}

}  // namespace lore::index
