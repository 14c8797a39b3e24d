#include "cli/render/passages.hpp"

#include <vector>

#include "cli/places.hpp"

namespace lore::cli {
namespace {

constexpr std::size_t kSnippet = 240;  // code points
constexpr std::size_t kQuote = 400;
constexpr std::size_t kLabel = 40;
constexpr std::size_t kNearest = 3;

std::string pages_of(const Passage& passage) {
  const std::string first = one_line(passage.page_label, kLabel);
  if (passage.page == passage.page_end) return "page " + first;
  return "pages " + first + "–" + one_line(passage.page_end_label, kLabel);
}

std::string heading_of(const Passage& passage, const Style& style) {
  std::string text;
  for (const std::string& title : passage.heading) {
    if (!text.empty()) text += style.arrow();
    text += one_line(title, kSnippet);
  }
  return text;
}

std::string status_of(const Citation& citation, const Style& style) {
  std::string text;
  switch (citation.status) {
    case CitationStatus::verified:
      text = style.green("verified");
      break;
    case CitationStatus::weak:
      text = style.yellow("weak: part of this statement stands there");
      break;
    case CitationStatus::unsupported:
      text = style.red("unsupported: that page does not say so");
      break;
  }
  if (citation.stale) text += ", " + style.yellow("stale: the file has changed; index it again");
  return text;
}

/// What stands between a written answer that nothing supports and the documents' own words.
std::string withdrawal(const Style& style) {
  return style.red("The cited pages do not support what the model wrote.") +
         " The documents themselves say:\n";
}

/// "Not in your documents", with what comes nearest.
std::string refusal(const Answer& answer, const Style& style) {
  std::string text = style.bold("Not in your documents.") + "\n";
  if (answer.passages.empty()) return text;
  text += "The nearest passages:\n";
  const std::size_t count = std::min(answer.passages.size(), kNearest);
  return text + render_hits(std::span(answer.passages).first(count), false, style);
}

}  // namespace

std::string place_of(const Passage& passage, const Style& style) {
  std::string text = one_line(shown(passage.path), kQuote);
  if (passage.paged) text += ", " + pages_of(passage);
  return style.link(text, passage.path, passage.paged ? std::optional(passage.page) : std::nullopt);
}

std::string place_of(const Citation& citation, const Style& style) {
  std::string text = one_line(shown(citation.path), kQuote);
  if (citation.paged) text += ", page " + one_line(citation.page_label, kLabel);
  return style.link(text, citation.path,
                    citation.paged ? std::optional(citation.page) : std::nullopt);
}

std::string render_hits(std::span<const Passage> passages, bool explain, const Style& style) {
  std::string text;
  for (const Passage& passage : passages) {
    text += style.bold(std::to_string(passage.rank) + ". ") + place_of(passage, style);
    const std::string heading = heading_of(passage, style);
    if (!heading.empty()) text.append(style.dot()).append(heading);
    text += '\n';
    if (explain) {
      text += "   score " + fixed(passage.score, 4);
      if (passage.vector_rank) text += ", vector rank " + std::to_string(*passage.vector_rank);
      if (passage.similarity) {
        text += ", similarity " + fixed(static_cast<double>(*passage.similarity), 3);
      }
      if (passage.lexical_rank) text += ", text rank " + std::to_string(*passage.lexical_rank);
      if (passage.bm25) text += ", BM25 " + fixed(*passage.bm25, 2);
      text += '\n';
    }
    text += "   " + style.dim(one_line(passage.text, kSnippet)) + "\n";
  }
  return text;
}

std::string render_citations(const Answer& answer, const Style& style) {
  std::string text;
  for (const Citation& citation : answer.citations) {
    text += "[" + std::to_string(citation.n) + "] " + place_of(citation, style) + " (" +
            status_of(citation, style) + ")\n";
    if (!citation.quote.empty()) text += "    “" + one_line(citation.quote, kQuote) + "”\n";
  }
  for (const std::string& sentence : answer.uncited) {
    text += style.red("unsupported") + ": no passage is cited for “" + one_line(sentence, kQuote) +
            "”\n";
  }
  for (const std::string& sentence : answer.dropped) {
    text += style.red("left out") + ": the cited page does not say “" + one_line(sentence, kQuote) +
            "”\n";
  }
  return text;
}

std::string render_answer(const Answer& answer, bool streamed, const Style& style) {
  const std::string break_after_text = streamed ? "\n\n" : "";
  if (answer.status != AnswerStatus::answered) {
    return break_after_text + refusal(answer, style);
  }
  std::string text;
  if (!answer.withdrawn.empty()) text = break_after_text + withdrawal(style);
  if (!streamed || !answer.withdrawn.empty()) text += printable(answer.answer);
  return text + "\n\n" + render_citations(answer, style);
}

std::string render_sources(std::span<const Passage> passages) {
  std::string text;
  for (const Passage& passage : passages) {
    text += (text.empty() ? "Reading " : "; ") + place_of(passage, Style(false));
  }
  return text;
}

}  // namespace lore::cli
