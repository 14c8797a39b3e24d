#include <algorithm>
#include <string>
#include <vector>

#include "base/utf8.hpp"
#include "pipeline/citations/citations.hpp"
#include "pipeline/citations/contradictions.hpp"
#include "pipeline/citations/parsed_text.hpp"
#include "pipeline/citations/tables.hpp"
#include "pipeline/citations/verbatim.hpp"

namespace lore::pipeline {
namespace {

using citations::Figure;
using citations::ParsedText;
using citations::Stretch;
using citations::Token;
using citations::TokenKind;
using citations::Tokens;

constexpr double kVerifiedShare = 0.8;
constexpr double kWeakShare = 0.5;

/// The sentence to be checked.
struct Claim {
  std::vector<Token> tokens;
  std::vector<Tokens> clauses;
  std::vector<std::string> words;      // distinct stems
  std::vector<const Figure*> figures;  // of the tokens
  std::vector<bool> in_subject;        // which of the figures are codes that the subject has
  std::vector<bool> of_subject;        // which of the words the subject has
};

/// A copy of the sentence in which "[1]" and its like are blank.
std::string without_marks(std::string_view sentence) {
  constexpr std::string_view kInside = "0123456789,;- ";
  std::string text(sentence);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '[') continue;
    std::size_t end = i + 1;
    while (end < text.size() && kInside.find(text[end]) != std::string_view::npos) ++end;
    if (end < text.size() && text[end] == ']' && end > i + 1) {
      std::fill(text.begin() + static_cast<std::ptrdiff_t>(i),
                text.begin() + static_cast<std::ptrdiff_t>(end) + 1, ' ');
    }
  }
  return text;
}

/// "alarm E14": the code tells more than the word before it, which tables leave out.
bool is_label(Tokens tokens, std::size_t index) {
  return index + 1 < tokens.size() && tokens[index + 1].kind == TokenKind::figure &&
         tokens[index + 1].figure.code && tokens[index + 1].text.size() > 1;
}

Claim make_claim(std::string_view sentence, std::string_view subject) {
  Claim claim;
  claim.tokens = citations::tokenize(without_marks(sentence));
  claim.clauses = citations::split_clauses(claim.tokens);
  for (std::size_t i = 0; i < claim.tokens.size(); ++i) {
    const Token& token = claim.tokens[i];
    if (token.kind == TokenKind::figure) claim.figures.push_back(&token.figure);
    if (token.kind != TokenKind::content || is_label(claim.tokens, i)) continue;
    if (std::find(claim.words.begin(), claim.words.end(), token.text) == claim.words.end()) {
      claim.words.push_back(token.text);
    }
  }
  const std::vector<Token> about = citations::tokenize(subject);
  for (const Figure* figure : claim.figures) {
    claim.in_subject.push_back(figure->code && citations::has_figure(about, *figure));
  }
  for (const std::string& word : claim.words) {
    claim.of_subject.push_back(citations::has_word(about, word));
  }
  return claim;
}

/// Enough to be checked at all: a lone word or a bare number proves nothing.
bool says_something(const Claim& claim) {
  std::size_t weight = claim.words.size();
  for (const Figure* figure : claim.figures) {
    weight += figure->code || !figure->unit.empty() ? std::size_t{2} : std::size_t{1};
  }
  return weight >= 2;
}

/// A page cut into sentences, and which words and figures of the claim each of them has.
class Page {
 public:
  /// What the rows of tables are read as.
  enum class Rows { as_written, with_heads };

  /// `text` and `claim` must outlive the page.
  Page(const ParsedText& text, const Claim& claim, Rows rows) : claim_(claim), spans_(text.spans) {
    std::vector<std::size_t> begins;
    for (std::size_t i = 0; i < spans_.size(); ++i) {
      begins.push_back(tokens_.size());
      if (rows == Rows::with_heads && text.has_head(i)) {
        append_row(text, i);
      } else {
        append(text.sentence(i));
      }
    }
    begins.push_back(tokens_.size());
    for (std::size_t i = 0; i < spans_.size(); ++i) {
      sentences_.push_back(Tokens(tokens_).subspan(begins[i], begins[i + 1] - begins[i]));
    }
    for (const Tokens sentence : sentences_) mark(sentence);
  }

  std::size_t size() const { return spans_.size(); }

  /// The check of `count` sentences from `first` on.
  CitationCheck check(std::size_t first, std::size_t count) const {
    CitationCheck result;
    const Found figures = find_figures(first, count);
    if (figures == Found::no) return result;
    if (count == 2 && (adds_nothing(first, first + 1) || adds_nothing(first + 1, first))) {
      return result;
    }
    result.share = share(first, count);
    if (result.share < kWeakShare && share_beside_subject(first, count) < kWeakShare) return result;
    result.status = CitationStatus::weak;
    result.quote = {spans_[first].start, spans_[first + count - 1].end};
    if (figures == Found::here && result.share >= kVerifiedShare && confirms(first, count)) {
      result.status = CitationStatus::verified;
    }
    return result;
  }

 private:
  void append(Tokens tokens) { tokens_.insert(tokens_.end(), tokens.begin(), tokens.end()); }

  bool has_some_of_claim(Tokens cell) const {
    return std::any_of(claim_.tokens.begin(), claim_.tokens.end(), [&](const Token& token) {
      if (token.kind == TokenKind::figure) return citations::has_figure(cell, token.figure);
      return token.kind == TokenKind::content && citations::has_word(cell, token.text);
    });
  }

  /// A row of a table reads as its cells, each behind the head of its column where it has something
  /// of the claim. Heads of the other columns would lend their words to values that are not theirs.
  void append_row(const ParsedText& text, std::size_t row) {
    const std::vector<TextSpan> heads = citations::cells_of(text.text, spans_[text.heads[row]]);
    const std::vector<TextSpan> cells = citations::cells_of(text.text, spans_[row]);
    for (std::size_t column = 0; column < cells.size(); ++column) {
      const Tokens cell = citations::tokens_within(text.tokens, cells[column]);
      if (has_some_of_claim(cell)) {
        append(citations::tokens_within(text.tokens, heads[column]));
      }
      append(cell);
    }
  }

  void mark(Tokens sentence) {
    std::vector<bool> words;
    std::vector<bool> figures;
    for (const std::string& word : claim_.words) {
      words.push_back(citations::has_word(sentence, word));
    }
    for (const Figure* figure : claim_.figures) {
      figures.push_back(citations::has_figure(sentence, *figure));
    }
    words_.push_back(std::move(words));
    figures_.push_back(std::move(figures));
  }

  static bool any_of_two(const std::vector<std::vector<bool>>& marks, std::size_t first,
                         std::size_t count, std::size_t index) {
    return marks[first][index] || (count == 2 && marks[first + 1][index]);
  }

  enum class Found { no, with_subject, here };

  /// Whether the sentences have all figures of the claim, by themselves or with the subject's.
  Found find_figures(std::size_t first, std::size_t count) const {
    Found found = Found::here;
    for (std::size_t i = 0; i < claim_.figures.size(); ++i) {
      if (any_of_two(figures_, first, count, i)) continue;
      if (!claim_.in_subject[i]) return Found::no;
      found = Found::with_subject;
    }
    return found;
  }

  /// Whether sentence `one` has nothing of the claim that `other` lacks.
  bool adds_nothing(std::size_t one, std::size_t other) const {
    const auto within = [](const std::vector<bool>& part, const std::vector<bool>& whole) {
      for (std::size_t i = 0; i < part.size(); ++i) {
        if (part[i] && !whole[i]) return false;
      }
      return true;
    };
    return within(words_[one], words_[other]) && within(figures_[one], figures_[other]);
  }

  double share(std::size_t first, std::size_t count) const {
    if (claim_.words.empty()) return 1;
    std::size_t found = 0;
    for (std::size_t i = 0; i < claim_.words.size(); ++i) {
      if (any_of_two(words_, first, count, i)) ++found;
    }
    return static_cast<double>(found) / static_cast<double>(claim_.words.size());
  }

  /// As share(), of the words that do not just name what the pages are about. One alone says
  /// little.
  double share_beside_subject(std::size_t first, std::size_t count) const {
    std::size_t words = 0;
    std::size_t found = 0;
    for (std::size_t i = 0; i < claim_.words.size(); ++i) {
      if (claim_.of_subject[i]) continue;
      ++words;
      if (any_of_two(words_, first, count, i)) ++found;
    }
    return words < 2 ? 0 : static_cast<double>(found) / static_cast<double>(words);
  }

  bool confirms(std::size_t first, std::size_t count) const {
    Stretch stretch;
    for (std::size_t i = first; i < first + count; ++i) {
      stretch.sentences.push_back(sentences_[i]);
      const std::vector<Tokens> clauses = citations::split_clauses(sentences_[i]);
      stretch.clauses.insert(stretch.clauses.end(), clauses.begin(), clauses.end());
    }
    const Tokens last = stretch.sentences.back();
    const Token* begin = stretch.sentences.front().data();
    stretch.all = Tokens(begin, static_cast<std::size_t>(last.data() + last.size() - begin));
    const bool surely =
        std::all_of(claim_.figures.begin(), claim_.figures.end(), [&stretch](const Figure* figure) {
          return std::any_of(stretch.all.begin(), stretch.all.end(), [figure](const Token& token) {
            return token.kind == TokenKind::figure && surely_same_figure(*figure, token.figure);
          });
        });
    return surely && citations::same_negations(claim_.tokens, stretch) &&
           !citations::contradicts(claim_.tokens, claim_.clauses, stretch);
  }

  const Claim& claim_;
  std::vector<Token> tokens_;  // sentence by sentence, rows with the heads of their columns
  const std::vector<TextSpan>& spans_;
  std::vector<Tokens> sentences_;           // the tokens of each span
  std::vector<std::vector<bool>> words_;    // [sentence][word of the claim]
  std::vector<std::vector<bool>> figures_;  // [sentence][figure of the claim]
};

int rank(CitationStatus status) {
  return status == CitationStatus::verified ? 2 : status == CitationStatus::weak ? 1 : 0;
}

/// Whether `a` is the better finding; a tie keeps the earlier one.
bool is_better(const CitationCheck& a, const CitationCheck& b) {
  if (rank(a.status) != rank(b.status)) return rank(a.status) > rank(b.status);
  if (a.status == CitationStatus::unsupported) return false;
  if (a.share != b.share) return a.share > b.share;
  return a.quote.end - a.quote.start < b.quote.end - b.quote.start;
}

/// Whether a table of the page names its columns.
bool has_heads(const ParsedText& text) {
  for (std::size_t i = 0; i < text.spans.size(); ++i) {
    if (text.has_head(i)) return true;
  }
  return false;
}

/// Replaces `best` by the best check of one or two sentences of the page, where that is better.
void check_all(const Page& page, std::size_t number, CitationCheck& best) {
  for (std::size_t first = 0; first < page.size(); ++first) {
    for (std::size_t count = 1; count <= 2 && first + count <= page.size(); ++count) {
      CitationCheck check = page.check(first, count);
      check.page = number;
      if (is_better(check, best)) best = check;
    }
  }
}

}  // namespace

std::string_view status_name(CitationStatus status) noexcept {
  switch (status) {
    case CitationStatus::verified:
      return "verified";
    case CitationStatus::weak:
      return "weak";
    default:
      return "unsupported";
  }
}

CitationCheck verify(std::string_view sentence, std::span<const std::string_view> pages,
                     std::string_view subject) {
  CitationCheck best;
  const Claim claim = make_claim(sentence, subject);
  if (!says_something(claim)) return best;
  const std::string bare = without_marks(sentence);
  for (std::size_t number = 0; number < pages.size(); ++number) {
    const TextSpan verbatim = citations::find_verbatim(bare, pages[number]);
    if (verbatim.end > 0) {
      const CitationCheck check{CitationStatus::verified, number, verbatim, 1};
      if (is_better(check, best)) best = check;
      continue;
    }
    const ParsedText text(pages[number]);
    check_all(Page(text, claim, Page::Rows::as_written), number, best);
    // Not only so: a head may stand where the sentence has another word ("Code A12", "alarm A12").
    if (has_heads(text)) check_all(Page(text, claim, Page::Rows::with_heads), number, best);
  }
  if (best.status == CitationStatus::unsupported) best.share = 0;
  return best;
}

}  // namespace lore::pipeline
