// Whether a sentence of an answer stands in the pages that it cites, and which sentences of a
// passage belong to a question. Pure functions over text: no model, no files.
//
// All spans are Unicode code points, [start, end), of the text they are said to be in. Texts are
// UTF-8; invalid bytes count as U+FFFD.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/function_ref.hpp"

namespace lore::pipeline {

struct TextSpan {
  std::size_t start = 0;
  std::size_t end = 0;
  bool operator==(const TextSpan&) const = default;
};

enum class CitationStatus { verified, weak, unsupported };

/// "verified", "weak", "unsupported".
std::string_view status_name(CitationStatus status) noexcept;

struct CitationCheck {
  CitationStatus status = CitationStatus::unsupported;
  std::size_t page = 0;  ///< which of the given pages; meaningless where unsupported
  TextSpan quote;        ///< in that page; empty where unsupported
  double share = 0;      ///< of the sentence's content words that stand in the quote, 0 to 1
};

/// Compares one sentence (its "[n]" marks taken out or not) with the pages that it cites.
///
/// Both are folded first: case, compatibility forms (ligatures, full-width digits), accents, soft
/// hyphens, hyphens at line ends, white space. A figure is a number with the unit that follows it,
/// or a code of letters and digits ("E14"); 1,000 is 1000, a decimal comma is a point, 5bar is
/// 5 bar, "twelve", "zwölf" and 十二 are 12, -5 is not 5; a unit that only one side names does not
/// count against a figure, two different ones do. A content word is a word that is no function word
/// of English or German and no figure, compared by its stem; in scripts without spaces, each pair
/// of neighbouring characters.
///
/// - verified: some single sentence, or two consecutive ones, of a page are the sentence word for
///   word, or have all figures and at least 80 % of the content words, with the same negations at
///   the same words; and nothing contradicts: no contrary (inlet for outlet, red for green), no
///   figure or word that belongs to another clause or row there, no other name, noun or word in the
///   sentence's place, no two sides of a verb, comparison or preposition exchanged, no other bound
///   ("until" for "from", "at least" for "up to"), no "must" for "can". 1.500 is one and a half in
///   English, 1500 in German, and the other reading is not enough.
/// - weak: they have all figures and at least 50 % of the content words, or of those that `subject`
///   does not have. Codes that it has may be missing here: of the pump HX-200 its manual speaks
///   without naming it in each sentence.
/// - unsupported: anything else; a sentence without figures and content words too.
///
/// A row of a table is read as it is, and with the heads of those columns in which it has something
/// of the sentence; the heads stand in the first row of the table, which has no measured values.
///
/// `quote` is that stretch, verbatim: of several the one with the best status, then the highest
/// share, then the shortest, then the earliest. The rules are strict rather than generous: a
/// paraphrase in other words ends up weak. `subject` is what the pages are about: the document's
/// title and the headings that they stand under.
CitationCheck verify(std::string_view sentence, std::span<const std::string_view> pages,
                     std::string_view subject = {});

/// A sentence of an answer.
struct AnswerSentence {
  TextSpan span;               ///< in the answer, its marks included, without white space around it
  std::string text;            ///< without the marks and the spaces before them
  std::vector<int> citations;  ///< the n of its "[n]" (also "[1, 2]", "[1][3]"), as they come, once
};

/// Cuts an answer into sentences, list items and lines. Marks that follow a full stop belong to the
/// sentence before it. Sentences without words are left out.
std::vector<AnswerSentence> split_answer(std::string_view answer);

/// The sentences of a text, in order, without the white space around them: ends at . ! ? and their
/// like in other scripts (not after abbreviations, initials and numbers: "approx. 5", "3. Januar"),
/// at blank lines, and at ends of lines that are rows of a table, list items or headings rather
/// than lines of a paragraph.
std::vector<TextSpan> split_sentences(std::string_view text);

/// The content words of a text, folded and stemmed as `verify` compares them, each once, in order;
/// figures are in their normal form ("1000", "e14").
std::vector<std::string> content_words(std::string_view text);

/// A page or passage to choose sentences from.
struct PassageText {
  std::string_view text;
  double similarity = 0;  ///< of the whole passage to the query, as retrieval found; 0 if unknown
};

struct ScoredSentence {
  std::size_t passage = 0;  ///< which of the given ones
  TextSpan span;            ///< in its text
  double score = 0;
};

/// How much a word says: ln(documents / documents with it), or the like. It is called with words as
/// `content_words` gives them; an empty function weighs all alike.
using WordWeight = std::function<double(std::string_view word)>;

/// The sentences that answer `query` best, best first, at most `count`: the weighted share of the
/// query's words that a sentence has (its neighbours' count a fourth), plus 0.3 times the
/// similarity of its passage, plus a little where it has a figure and the query asks for one ("how
/// many", "wie lange", 多少). A row of a table that has one of the query's words counts those of
/// its columns' heads too. Sentences of fewer than three words, questions, the heads of tables, a
/// Markdown file's front matter, and repetitions of a better one are left out; so are those that
/// share no word with the query unless nothing shares one.
std::vector<ScoredSentence> best_sentences(std::string_view query,
                                           std::span<const PassageText> passages, std::size_t count,
                                           const WordWeight& weight = {});

/// A passage for a model to read.
struct ContextPassage {
  std::string_view text;
  double similarity = 0;         ///< as of PassageText
  std::size_t label_tokens = 0;  ///< what naming the passage costs, once something of it is taken
};

/// What a model needs to read of passages to answer `query`: a text of each passage, empty where it
/// has nothing to say. `passages` come best first. Taken are the sentences of all passages, best
/// first as best_sentences() scores them (a tenth less for each passage before theirs), while
/// `budget` tokens as `count_tokens` counts them hold them, and those left out that fit the query
/// less than half as well as the best. The rows of a table name the column of
/// each cell ("Range: 5 bar; Overload: 9 bar"). Where not even the best sentence fits, as many of
/// its words from its start as do.
std::vector<std::string> choose_context(std::string_view query,
                                        std::span<const ContextPassage> passages,
                                        std::size_t budget,
                                        FunctionRef<std::size_t(std::string_view)> count_tokens,
                                        const WordWeight& weight = {});

}  // namespace lore::pipeline
