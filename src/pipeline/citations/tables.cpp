#include "pipeline/citations/tables.hpp"

#include <algorithm>

#include "pipeline/citations/parsed_text.hpp"

namespace lore::pipeline::citations {
namespace {

using Text = std::vector<char32_t>;

bool is_blank(char32_t c) { return c == U' ' || c == U'\t' || c == U'\u00A0'; }

bool has_blank_line(const Text& text, std::size_t begin, std::size_t end) {
  return std::count(text.begin() + static_cast<std::ptrdiff_t>(begin),
                    text.begin() + static_cast<std::ptrdiff_t>(end), U'\n') > 1;
}

/// "|---|:--:|" of Markdown.
bool is_rule(const Text& text, const TextSpan& line) {
  return std::all_of(text.begin() + static_cast<std::ptrdiff_t>(line.start),
                     text.begin() + static_cast<std::ptrdiff_t>(line.end),
                     [](char32_t c) { return c == U'|' || c == U'-' || c == U':' || is_blank(c); });
}

bool is_year(const Figure& figure) {
  return figure.unit.empty() && !figure.negative && figure.values.size() == 1 &&
         figure.values.front().size() == 4 && figure.values.front() >= "1900" &&
         figure.values.front() < "2100";
}

/// Whether a first row can name columns: words, years and codes, and no measured value.
bool names_columns(Tokens row) {
  return std::none_of(row.begin(), row.end(), [](const Token& token) {
    return token.kind == TokenKind::figure && !token.figure.code && !is_year(token.figure);
  });
}

}  // namespace

std::vector<TextSpan> cells_of(const Text& text, const TextSpan& line) {
  const bool barred = line.start < line.end && text[line.start] == U'|';
  const char32_t border = barred ? U'|' : U'\t';
  std::vector<TextSpan> cells;
  const auto add = [&](std::size_t begin, std::size_t end) {
    while (begin < end && is_blank(text[begin])) ++begin;
    while (end > begin && is_blank(text[end - 1])) --end;
    cells.push_back({begin, end});
  };
  std::size_t begin = barred ? line.start + 1 : line.start;
  for (std::size_t i = begin; i < line.end; ++i) {
    if (text[i] != border) continue;
    add(begin, i);
    begin = i + 1;
  }
  if (!barred || begin < line.end) add(begin, line.end);
  return cells;
}

std::vector<std::size_t> column_heads(const Text& text, Tokens tokens,
                                      std::span<const TextSpan> sentences) {
  std::vector<std::size_t> heads(sentences.size());
  std::size_t head = 0;     // first row of the table at hand
  std::size_t columns = 0;  // its cells; 0 outside of tables and where it names none
  bool inside = false;
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    heads[i] = i;
    const std::size_t cells = cells_of(text, sentences[i]).size();
    if (cells < 2) {
      inside = false;
      continue;
    }
    if (!inside || has_blank_line(text, sentences[i - 1].end, sentences[i].start)) {
      head = i;
      columns = names_columns(tokens_within(tokens, sentences[i])) ? cells : 0;
      inside = true;
    } else if (cells == columns && !is_rule(text, sentences[i])) {
      heads[i] = head;
    }
  }
  return heads;
}

}  // namespace lore::pipeline::citations
