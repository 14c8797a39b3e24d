#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/utf8.hpp"
#include "pipeline/citations/citations.hpp"
#include "pipeline/citations/scoring.hpp"
#include "pipeline/citations/tables.hpp"

namespace lore::pipeline {
namespace {

using citations::Scored;

/// What fits a question less than half as well as the best sentence does rather misleads.
constexpr double kLeastRelativeScore = 0.5;
/// How much less a sentence of the next passage says, since retrieval found that one less fitting.
constexpr double kTrustInTheNext = 0.9;

/// The longest start of a sentence that ends between words and fits; empty where none does.
TextSpan cut_to_words(const Scored& passage, std::size_t number, std::size_t budget,
                      FunctionRef<std::size_t(std::string_view)> count_tokens) {
  const std::vector<char32_t>& text = passage.parsed.text;
  const TextSpan& sentence = passage.parsed.spans[number];
  std::vector<std::size_t> ends;
  for (std::size_t i = sentence.start + 1; i < sentence.end; ++i) {
    const bool between = text[i] == U' ' || text[i] == U'\n' || citations::is_unspaced(text[i]);
    if (between) ends.push_back(i);
  }
  std::size_t low = 0;  // how many of the ends are known to fit
  std::size_t high = ends.size();
  while (low < high) {
    const std::size_t middle = (low + high + 1) / 2;
    const std::size_t end = ends[middle - 1];
    if (count_tokens(utf8::slice(passage.text, sentence.start, end)) <= budget) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low == 0 ? TextSpan{sentence.start, sentence.start}
                  : TextSpan{sentence.start, ends[low - 1]};
}

/// A passage of which sentences are being taken.
class Selection {
 public:
  Selection(const citations::Query& query, const ContextPassage& passage)
      : passage_(passage),
        scored_(citations::score_sentences(query, passage.text)),
        taken_(scored_.size()) {}

  std::size_t size() const { return taken_.size(); }
  /// As best_sentences() scores it.
  double score(std::size_t sentence) const {
    return scored_.scores[sentence] + citations::kSimilarityShare * passage_.similarity;
  }
  /// What names the columns of a table is said with its rows; the line below that says nothing.
  bool can_take(std::size_t sentence) const {
    return !scored_.is_head(sentence) && !scored_.parsed.sentence(sentence).empty();
  }
  void take(std::size_t sentence) {
    taken_[sentence] = true;
    empty_ = false;
  }
  /// Still to be paid for naming the passage.
  std::size_t label_tokens() const { return empty_ ? passage_.label_tokens : 0; }

  /// A sentence as a model reads it best: a row names the column of each cell, as "Range: 5 bar".
  std::string written(std::size_t sentence) const {
    const citations::ParsedText& parsed = scored_.parsed;
    if (!parsed.has_head(sentence)) return std::string(scored_.written(sentence));
    const std::vector<TextSpan> names =
        citations::cells_of(parsed.text, parsed.spans[parsed.heads[sentence]]);
    const std::vector<TextSpan> cells = citations::cells_of(parsed.text, parsed.spans[sentence]);
    std::string row;
    for (std::size_t column = 0; column < cells.size(); ++column) {
      const std::string_view cell = slice(cells[column]);
      if (cell.empty()) continue;
      if (!row.empty()) row += "; ";
      if (const std::string_view name = slice(names[column]); !name.empty()) {
        row.append(name).append(": ");
      }
      row += cell;
    }
    return row;
  }

  /// What was taken, in order.
  std::string text() const {
    std::string text;
    for (std::size_t i = 0; i < taken_.size(); ++i) {
      if (!taken_[i]) continue;
      if (!text.empty()) text += taken_[i - 1] ? gap_before(i) : "\n";
      text += written(i);
    }
    return text;
  }

  /// As much of a sentence as `tokens` hold.
  std::string start_of(std::size_t sentence, std::size_t tokens,
                       FunctionRef<std::size_t(std::string_view)> count_tokens) const {
    return std::string(slice(cut_to_words(scored_, sentence, tokens, count_tokens)));
  }

 private:
  /// The white space between a sentence and the one before it, which may have none, as one
  /// character.
  std::string_view gap_before(std::size_t sentence) const {
    const std::string_view gap =
        slice({scored_.parsed.spans[sentence - 1].end, scored_.parsed.spans[sentence].start});
    if (gap.empty()) return {};
    return gap.find('\n') == std::string_view::npos ? " " : "\n";
  }

  std::string_view slice(const TextSpan& span) const {
    return utf8::slice(scored_.text, span.start, span.end);
  }

  const ContextPassage& passage_;
  Scored scored_;
  std::vector<bool> taken_;  // [sentence]
  bool empty_ = true;
};

struct Choice {
  std::size_t passage;
  std::size_t sentence;
  double worth;
};

/// All sentences of all passages, the best first.
std::vector<Choice> ranked(std::span<const Selection> selections) {
  std::vector<Choice> choices;
  double trust = 1;
  for (std::size_t number = 0; number < selections.size(); ++number) {
    for (std::size_t i = 0; i < selections[number].size(); ++i) {
      if (!selections[number].can_take(i)) continue;
      choices.push_back({number, i, selections[number].score(i) * trust});
    }
    trust *= kTrustInTheNext;
  }
  std::stable_sort(choices.begin(), choices.end(),
                   [](const Choice& a, const Choice& b) { return a.worth > b.worth; });
  return choices;
}

}  // namespace

std::vector<std::string> choose_context(std::string_view query_text,
                                        std::span<const ContextPassage> passages,
                                        std::size_t budget,
                                        FunctionRef<std::size_t(std::string_view)> count_tokens,
                                        const WordWeight& weight) {
  const citations::Query query = citations::make_query(query_text, weight);
  std::vector<Selection> selections;
  for (const ContextPassage& passage : passages) selections.emplace_back(query, passage);
  const std::vector<Choice> choices = ranked(selections);
  std::size_t room = budget;
  for (const Choice& choice : choices) {
    if (choice.worth < choices.front().worth * kLeastRelativeScore) break;
    Selection& selection = selections[choice.passage];
    const std::size_t tokens =
        selection.label_tokens() + count_tokens(selection.written(choice.sentence)) + 1;
    if (tokens > room) continue;
    room -= tokens;
    selection.take(choice.sentence);
  }
  std::vector<std::string> chosen;
  for (const Selection& selection : selections) chosen.push_back(selection.text());
  const bool none = std::all_of(chosen.begin(), chosen.end(),
                                [](const std::string& text) { return text.empty(); });
  if (none && !choices.empty()) {
    const Choice& best = choices.front();
    const Selection& selection = selections[best.passage];
    room = budget - std::min(budget, selection.label_tokens());
    chosen[best.passage] = selection.start_of(best.sentence, room, count_tokens);
  }
  return chosen;
}

}  // namespace lore::pipeline
