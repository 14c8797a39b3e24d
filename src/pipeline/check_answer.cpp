#include "pipeline/check_answer.hpp"

#include <algorithm>
#include <chrono>
#include <system_error>
#include <utility>

#include <sys/stat.h>

#include "base/utf8.hpp"
#include "lore/error.hpp"
#include "pipeline/citations/citations.hpp"
#include "pipeline/word_weights.hpp"

namespace lore::pipeline {
namespace {

constexpr std::size_t kExtractedSentences = 3;
/// A sentence this much worse than the best one adds noise rather than an answer.
constexpr double kLeastRelativeScore = 0.6;

/// Blanks and line ends of a page become single spaces: a quote in an answer is one line.
std::string one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const bool space = c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f';
    if (!space) {
      line += c;
    } else if (!line.empty() && line.back() != ' ') {
      line += ' ';
    }
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

lore::CitationStatus public_status(CitationStatus status) {
  switch (status) {
    case CitationStatus::verified:
      return lore::CitationStatus::verified;
    case CitationStatus::weak:
      return lore::CitationStatus::weak;
    case CitationStatus::unsupported:
      break;
  }
  return lore::CitationStatus::unsupported;
}

/// Index of the page that holds a position.
std::size_t page_at(const index::DocumentRecord& document, std::size_t position) {
  std::size_t page = 0;
  while (page + 1 < document.pages.size() && document.pages[page + 1].start <= position) ++page;
  return page;
}

void set_page(Citation& citation, const index::DocumentRecord& document, std::size_t page) {
  citation.page = page + 1;
  citation.page_label = page < document.pages.size() ? document.pages[page].label : "";
}

/// What a passage is about: its document's title and the headings that it stands under.
std::string subject_of(const Passage& passage) {
  std::string subject = passage.title;
  for (const std::string& heading : passage.heading) subject += '\n' + heading;
  return subject;
}

/// How many of the words stand among others, 0 to 1.
double share_of(const std::vector<std::string>& words, const std::vector<std::string>& others) {
  const auto found = std::count_if(words.begin(), words.end(), [&](const std::string& word) {
    return std::find(others.begin(), others.end(), word) != others.end();
  });
  return words.empty() ? 0 : static_cast<double>(found) / static_cast<double>(words.size());
}

/// Whether a sentence says more than what its passage is about.
bool says_more(std::string_view sentence, const Passage& passage) {
  const std::vector<std::string> known = content_words(subject_of(passage));
  const std::vector<std::string> words = content_words(sentence);
  return !words.empty() && share_of(words, known) < 1;
}

/// Whether the quote has something that the sentence says beyond the words of the question.
bool has_what_is_new(const Citation& citation, const std::vector<std::string>& asked) {
  std::vector<std::string> words = content_words(citation.sentence);
  words.erase(std::remove_if(words.begin(), words.end(),
                             [&](const std::string& word) {
                               return std::find(asked.begin(), asked.end(), word) != asked.end();
                             }),
              words.end());
  return words.empty() || share_of(words, content_words(citation.quote)) > 0;
}

Citation cite(const std::string& sentence, const Passage& passage, CitedDocuments& documents) {
  const index::DocumentRecord& document = documents.get(passage.document);
  const std::size_t last = std::min(passage.page_end, document.pages.size());
  std::vector<std::string_view> pages;
  for (std::size_t page = passage.page; page <= last; ++page) {
    const index::PageRecord& record = document.pages[page - 1];
    pages.push_back(utf8::slice(document.text, record.start, record.end));
  }
  const CitationCheck check = verify(sentence, pages, subject_of(passage));
  Citation citation;
  citation.n = passage.rank;
  citation.sentence = sentence;
  citation.document = passage.document;
  citation.path = passage.path;
  citation.paged = passage.paged;
  citation.status = public_status(check.status);
  citation.stale = documents.is_stale(passage.document);
  citation.start = citation.end = passage.start;
  std::size_t page = passage.page - 1;
  if (check.status != CitationStatus::unsupported) {
    page += check.page;
    const std::size_t base = document.pages[page].start;
    citation.start = base + check.quote.start;
    citation.end = base + check.quote.end;
    citation.quote = utf8::slice(document.text, citation.start, citation.end);
  }
  set_page(citation, document, page);
  return citation;
}

}  // namespace

const index::DocumentRecord& CitedDocuments::get(const std::string& stored_path) {
  const auto found = documents_.find(stored_path);
  if (found != documents_.end()) return found->second;
  return documents_.emplace(stored_path, reader_.document(stored_path)).first->second;
}

bool CitedDocuments::is_stale(const std::string& stored_path) {
  if (const auto found = stale_.find(stored_path); found != stale_.end()) return found->second;
  const index::DocumentRecord& document = get(stored_path);
  const std::filesystem::path path = reader_.resolve(stored_path);
  struct stat status {};
  bool stale = true;
  if (::stat(path.c_str(), &status) == 0) {
    const std::int64_t modified =
        std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
    const bool same_size = static_cast<std::uint64_t>(status.st_size) == document.size;
    stale = !same_size;
    if (same_size && modified != document.modified_ns) {
      try {
        stale = hash_(path) != document.sha256;
      } catch (const Error&) {
        stale = true;  // it cannot be read any more: nobody can check the quote there
      }
    }
  }
  return stale_[stored_path] = stale;
}

CheckedAnswer check_answer(std::string_view answer, std::string_view question,
                           std::span<const Passage> passages, bool strict,
                           CitedDocuments& documents) {
  CheckedAnswer checked;
  const std::vector<std::string> asked = content_words(question);
  std::string kept_text;
  for (const AnswerSentence& sentence : split_answer(answer)) {
    std::vector<Citation> citations;
    for (const int n : sentence.citations) {
      const auto cited = std::find_if(
          passages.begin(), passages.end(),
          [n](const Passage& passage) { return passage.rank == static_cast<std::size_t>(n); });
      if (cited != passages.end()) citations.push_back(cite(sentence.text, *cited, documents));
    }
    const bool verified = std::any_of(
        citations.begin(), citations.end(),
        [](const Citation& citation) { return citation.status == lore::CitationStatus::verified; });
    const bool supported =
        verified || std::any_of(citations.begin(), citations.end(), [&](const Citation& citation) {
          return citation.status == lore::CitationStatus::weak && has_what_is_new(citation, asked);
        });
    checked.any_verified = checked.any_verified || verified;
    ++checked.sentences;
    checked.supported += supported ? 1U : 0U;
    if (strict && !supported) {
      checked.dropped.push_back(sentence.text);
      continue;
    }
    if (citations.empty()) checked.uncited.push_back(sentence.text);
    std::move(citations.begin(), citations.end(), std::back_inserter(checked.citations));
    if (!kept_text.empty()) kept_text += ' ';
    kept_text += utf8::slice(answer, sentence.span.start, sentence.span.end);
  }
  checked.text = checked.dropped.empty() ? std::string(answer) : std::move(kept_text);
  return checked;
}

std::size_t supporting_passage(std::string_view sentence, std::span<const Passage> passages) {
  const std::vector<std::string> words = content_words(sentence);
  const auto worth = [&](const Passage& passage) {
    const std::string_view text[] = {passage.text};
    const CitationCheck check = verify(sentence, text, subject_of(passage));
    switch (check.status) {
      case CitationStatus::verified:
        return 2 + check.share;
      case CitationStatus::weak:
        return 1 + check.share;
      case CitationStatus::unsupported:
        break;
    }
    return share_of(words, content_words(passage.text));
  };
  std::size_t best = 0;
  double most = 0;
  for (const Passage& passage : passages) {
    const double found = worth(passage);
    if (found > most) best = passage.rank;
    most = std::max(most, found);
  }
  return best;
}

CheckedAnswer extract_answer(std::string_view question, std::span<const Passage> passages,
                             CitedDocuments& documents) {
  std::vector<PassageText> texts;
  for (const Passage& passage : passages) {
    texts.push_back({passage.text, static_cast<double>(passage.similarity.value_or(0))});
  }
  const WordWeights weights(passages);
  CheckedAnswer checked;
  double best = 0;
  for (const ScoredSentence& sentence :
       best_sentences(question, texts, kExtractedSentences, weights)) {
    if (best == 0) best = sentence.score;
    if (sentence.score < best * kLeastRelativeScore) break;
    const Passage& passage = passages[sentence.passage];
    if (!says_more(utf8::slice(passage.text, sentence.span.start, sentence.span.end), passage)) {
      continue;
    }
    const index::DocumentRecord& document = documents.get(passage.document);
    Citation citation;
    citation.n = passage.rank;
    citation.document = passage.document;
    citation.path = passage.path;
    citation.paged = passage.paged;
    citation.start = passage.start + sentence.span.start;
    citation.end = passage.start + sentence.span.end;
    citation.quote = utf8::slice(document.text, citation.start, citation.end);
    citation.sentence = one_line(citation.quote);
    citation.status = lore::CitationStatus::verified;  // it is the page's own sentence
    citation.stale = documents.is_stale(passage.document);
    set_page(citation, document, page_at(document, citation.start));
    if (!checked.text.empty()) checked.text += ' ';
    checked.text += citation.sentence + " [" + std::to_string(citation.n) + "]";
    checked.citations.push_back(std::move(citation));
  }
  checked.sentences = checked.supported = checked.citations.size();
  checked.any_verified = !checked.citations.empty();
  return checked;
}

}  // namespace lore::pipeline
