#include "index/retrieve/evidence.hpp"

#include <algorithm>
#include <string>
#include <unordered_set>
#include <vector>

#include "index/retrieve/stem.hpp"
#include "index/retrieve/words.hpp"

namespace lore::index {
namespace {

constexpr std::size_t kPrefixLetters = 5;

bool meets(const QueryWord& wanted, const std::unordered_set<std::string>& stems) {
  if (stems.contains(wanted.stem)) return true;
  if (wanted.stem.size() < kPrefixLetters) return false;
  return std::any_of(stems.begin(), stems.end(),
                     [&](const std::string& met) { return met.starts_with(wanted.stem); });
}

}  // namespace

std::size_t count_terms(const QueryTerms& terms) {
  return terms.words.size() + bigrams_of(terms).size();
}

std::size_t count_terms_met(const QueryTerms& terms, std::string_view context,
                            std::string_view body) {
  std::unordered_set<std::string> stems;
  for (const std::string_view text : {context, body}) {
    for (const Word& word : split_words(text)) {
      if (!word.spaceless) stems.insert(stem(word.folded));
    }
  }
  std::size_t met = 0;
  for (const QueryWord& word : terms.words) met += meets(word, stems);
  for (const std::string& bigram : bigrams_of(terms)) {
    met += body.find(bigram) != std::string_view::npos ||
           context.find(bigram) != std::string_view::npos;
  }
  return met;
}

}  // namespace lore::index
