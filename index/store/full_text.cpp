#include "index/store/full_text.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "index/retrieve/stem.hpp"

namespace lore::index {
namespace {

// A word in the body tells more than one in the title or heading, which all chunks of a document
// share.
constexpr const char* kWeights = "1.0, 0.4";
constexpr std::size_t kFormsOfAWord = 16;
constexpr std::size_t kShortestPart = 3;  // what a trigram table can find

using Scores = std::map<std::int64_t, double>;

std::string any_of(const std::vector<std::string>& terms) {
  std::string expression;
  for (const std::string& term : terms) {
    if (!expression.empty()) expression += " OR ";
    expression += full_text_string(term);
  }
  return expression;
}

// Words of the index with the same stem as `word`, the commonest first.
class Vocabulary {
 public:
  explicit Vocabulary(Database& database) : rows_(prepare(database)) {}

  std::vector<std::string> forms(const QueryWord& word) {
    if (word.stem.empty()) return {};
    // All that begin with the stem: from it to the same with its last byte raised by one. A final
    // "i" may stand for "y".
    std::string low = word.stem;
    if (low != word.folded && low.size() > 1 && low.back() == 'i') low.pop_back();
    std::string high = low;
    high.back() = static_cast<char>(high.back() + 1);
    std::vector<std::pair<std::int64_t, std::string>> found;
    rows_.bind(low, high);
    while (rows_.step()) {
      std::string term = rows_.text(0);
      if (term == word.folded || stem(term) == word.stem) {
        found.emplace_back(-rows_.integer(1), std::move(term));
      }
    }
    std::sort(found.begin(), found.end());
    if (found.size() > kFormsOfAWord) found.resize(kFormsOfAWord);
    std::vector<std::string> terms;
    for (auto& [count, term] : found) terms.push_back(std::move(term));
    return terms;
  }

 private:
  static Statement prepare(Database& database) {
    database.execute(
        "CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary USING fts5vocab(main, words, row)");
    return database.prepare("SELECT term, doc FROM temp.vocabulary WHERE term >= ? AND term < ?");
  }

  Statement rows_;
};

void add_matches(Database& database, const std::string& table, const std::string& expression,
                 std::size_t limit, const ChunkFilter& filter, Scores& scores) {
  if (expression.empty()) return;
  Statement rows =
      database.prepare("SELECT rowid, -bm25(" + table + ", " + kWeights + ") FROM " + table +
                       " WHERE " + table + " MATCH ? ORDER BY 2 DESC, rowid LIMIT ?");
  // A filter drops rows that have been ranked already.
  rows.bind(expression, filter ? std::int64_t{-1} : static_cast<std::int64_t>(limit));
  std::size_t taken = 0;
  while (taken < limit && rows.step()) {
    if (filter && !filter(rows.integer(0))) continue;
    scores[rows.integer(0)] += rows.real(1);
    ++taken;
  }
}

// BM25 without its length part, over all chunks: a scan, for runs of one or two characters.
void add_short_runs(Database& database, const std::vector<std::string>& runs,
                    const ChunkFilter& filter, Scores& scores) {
  constexpr double kSaturation = 1.2;
  for (const std::string& run : runs) {
    Statement rows = database.prepare(
        "SELECT id, body, context FROM chunks WHERE instr(body, ?1) OR instr(context, ?1)");
    rows.bind(run);
    std::vector<std::pair<std::int64_t, double>> found;
    double in_index = 0;
    while (rows.step()) {
      ++in_index;
      if (filter && !filter(rows.integer(0))) continue;
      double occurrences = 0;
      const std::string_view body = rows.text_view(1);
      for (std::size_t at = body.find(run); at != std::string_view::npos;
           at = body.find(run, at + run.size())) {
        ++occurrences;
      }
      if (rows.text_view(2).find(run) != std::string_view::npos) occurrences += 0.4;
      found.emplace_back(rows.integer(0), occurrences);
    }
    const auto chunks =
        static_cast<double>(database.integer("SELECT count(*) FROM chunks").value_or(0));
    const double rarity = std::max(1e-6, std::log((chunks - in_index + 0.5) / (in_index + 0.5)));
    for (const auto& [id, occurrences] : found) {
      scores[id] += rarity * occurrences * (kSaturation + 1) / (occurrences + kSaturation);
    }
  }
}

}  // namespace

std::vector<TextMatch> search_text(Database& database, const QueryTerms& terms, std::size_t limit,
                                   const ChunkFilter& filter) {
  std::vector<std::string> in_words = terms.phrases;
  std::vector<std::string> in_trigrams = trigrams_of(terms);
  if (!terms.words.empty()) {
    Vocabulary vocabulary(database);
    for (const QueryWord& word : terms.words) {
      const std::vector<std::string> forms = vocabulary.forms(word);
      in_words.insert(in_words.end(), forms.begin(), forms.end());
      // Part of a longer name, or a script that the two ways of folding see differently.
      if (!forms.empty()) continue;
      in_words.push_back(word.text);
      if (word.folded.size() >= kShortestPart) in_trigrams.push_back(word.text);
    }
  }
  // More than asked for from each, so that one that is middling in both can rise.
  const std::size_t each = 4 * limit;
  Scores scores;
  add_matches(database, "words", any_of(in_words), each, filter, scores);
  add_matches(database, "trigrams", any_of(in_trigrams), each, filter, scores);
  add_short_runs(database, short_runs_of(terms), filter, scores);

  std::vector<TextMatch> matches;
  for (const auto& [id, score] : scores) matches.push_back({id, score});
  std::stable_sort(matches.begin(), matches.end(),
                   [](const TextMatch& a, const TextMatch& b) { return a.bm25 > b.bm25; });
  if (matches.size() > limit) matches.resize(limit);
  return matches;
}

}  // namespace lore::index
