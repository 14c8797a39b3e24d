#include "index/retrieve/stop_words.hpp"

#include <algorithm>
#include <array>

namespace lore::index {
namespace {

// Folded as split_words does; sorted.
constexpr auto kEnglish = std::to_array<std::string_view>(
    {"a",       "about", "after", "again", "all",    "am",      "an",      "and",    "any",
     "are",     "aren",  "as",    "at",    "be",     "because", "been",    "before", "being",
     "between", "both",  "but",   "by",    "can",    "could",   "couldn",  "did",    "didn",
     "do",      "does",  "doesn", "doing", "don",    "during",  "each",    "for",    "from",
     "further", "had",   "hadn",  "has",   "hasn",   "have",    "haven",   "having", "he",
     "her",     "here",  "hers",  "him",   "his",    "how",     "i",       "if",     "in",
     "into",    "is",    "isn",   "it",    "its",    "itself",  "just",    "ll",     "me",
     "more",    "most",  "must",  "my",    "myself", "no",      "nor",     "not",    "now",
     "of",      "on",    "only",  "or",    "other",  "our",     "ours",    "out",    "own",
     "please",  "re",    "same",  "shall", "she",    "should",  "shouldn", "so",     "some",
     "such",    "tell",  "than",  "that",  "the",    "their",   "theirs",  "them",   "then",
     "there",   "these", "they",  "this",  "those",  "through", "to",      "too",    "under",
     "until",   "up",    "us",    "ve",    "very",   "was",     "wasn",    "we",     "were",
     "weren",   "what",  "when",  "where", "which",  "while",   "who",     "whom",   "whose",
     "why",     "will",  "with",  "would", "wouldn", "you",     "your",    "yours"});

constexpr auto kGerman = std::to_array<std::string_view>(
    {"aber",   "alle",   "allem",   "allen",   "aller",   "alles",   "als",     "also",  "am",
     "an",     "andere", "anderen", "auch",    "auf",     "aus",     "bei",     "beim",  "bin",
     "bis",    "bist",   "bitte",   "da",      "damit",   "dann",    "darf",    "das",   "dass",
     "dein",   "dem",    "den",     "denn",    "der",     "des",     "dessen",  "dich",  "die",
     "dies",   "diese",  "diesem",  "diesen",  "dieser",  "dieses",  "dir",     "doch",  "dort",
     "du",     "durch",  "ein",     "eine",    "einem",   "einen",   "einer",   "eines", "er",
     "es",     "etwas",  "euch",    "fur",     "gegen",   "gibt",    "hab",     "habe",  "haben",
     "hat",    "hatte",  "hatten",  "hier",    "ich",     "ihm",     "ihn",     "ihnen", "ihr",
     "ihre",   "ihrem",  "ihren",   "ihrer",   "im",      "in",      "indem",   "ins",   "ist",
     "jede",   "jedem",  "jeden",   "jeder",   "jedes",   "jetzt",   "kann",    "kein",  "keine",
     "konnen", "man",    "mein",    "meine",   "mich",    "mir",     "mit",     "muss",  "mussen",
     "nach",   "nicht",  "noch",    "nun",     "nur",     "ob",      "oder",    "ohne",  "sehr",
     "sein",   "seine",  "seinem",  "seinen",  "seiner",  "sich",    "sie",     "sind",  "so",
     "soll",   "sollte", "sondern", "sonst",   "uber",    "um",      "und",     "uns",   "unser",
     "unter",  "viel",   "vom",     "von",     "vor",     "wann",    "war",     "waren", "warum",
     "was",    "weil",   "welche",  "welchem", "welchen", "welcher", "welches", "wenn",  "wer",
     "werde",  "werden", "wie",     "wieder",  "will",    "wir",     "wird",    "wo",    "worden",
     "wurde",  "wurden", "zu",      "zum",     "zur",     "zwischen"});

// German stop words that an English query may be about.
constexpr auto kAlsoEnglish =
    std::to_array<std::string_view>({"an", "am", "bin", "den", "die", "hat", "ins", "man", "war"});

// Lists are short and queries shorter: looking through them all costs nothing that shows.
template <typename List>
bool has(const List& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

}  // namespace

std::vector<bool> stop_words(const std::vector<Word>& query) {
  std::size_t english = 0;
  std::size_t german = 0;
  for (const Word& word : query) {
    const bool in_english = has(kEnglish, word.folded);
    const bool in_german = has(kGerman, word.folded);
    english += in_english && !in_german;
    german += in_german && !in_english && !has(kAlsoEnglish, word.folded);
  }
  std::vector<bool> stops;
  for (const Word& word : query) {
    const bool in_english = english >= german && has(kEnglish, word.folded);
    const bool in_german = german >= english && has(kGerman, word.folded) &&
                           (german > 0 || !has(kAlsoEnglish, word.folded));
    stops.push_back(!word.spaceless && (in_english || in_german));
  }
  return stops;
}

}  // namespace lore::index
