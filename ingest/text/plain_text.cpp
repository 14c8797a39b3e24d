#include <algorithm>
#include <string>
#include <utility>

#include "base/utf8.hpp"
#include "ingest/text/encoding.hpp"
#include "ingest/text/text_reader.hpp"

namespace lore::ingest {
namespace {

std::string_view trimmed(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return line.substr(begin, line.find_last_not_of(" \t") + 1 - begin);
}

// The character that a whole line repeats at least three times, or 0.
char underline_of(std::string_view line) {
  if (line.size() < 3 || (line[0] != '=' && line[0] != '-' && line[0] != '~')) return 0;
  return line.find_first_not_of(line[0]) == std::string_view::npos ? line[0] : '\0';
}

// A title stands alone between an empty line and an underline of about its own length; anything
// else is a rule or a table.
bool is_title(std::string_view before, std::string_view line, std::string_view underline) {
  const std::size_t length = utf8::length(line);
  return before.empty() && length > 0 && length <= 120 && underline_of(line) == 0 &&
         underline_of(underline) != 0 && underline.size() * 2 >= length &&
         underline.size() <= length * 2 + 4;
}

std::vector<Heading> find_headings(std::string_view text) {
  std::vector<Heading> headings;
  std::string underlines;  // the kinds met so far: the first is level 1
  std::string_view before;
  std::string_view line;
  std::size_t line_start = 0;
  std::size_t position = 0;  // code points
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view whole = text.substr(begin, end - begin);
    const std::string_view next = trimmed(whole);
    if (is_title(before, line, next)) {
      std::size_t level = underlines.find(next[0]);
      if (level == std::string::npos) {
        level = underlines.size();
        underlines += next[0];
      }
      headings.push_back({static_cast<int>(level) + 1, std::string(line), line_start});
    }
    before = std::exchange(line, next);
    line_start = position;
    position += utf8::length(whole) + 1;
    begin = end + 1;
  }
  return headings;
}

}  // namespace

Document read_plain_text(std::string_view bytes) {
  Decoded decoded = decode(bytes);
  Document document;
  document.format = Format::text;
  document.problems = std::move(decoded.problems);
  document.headings = find_headings(decoded.text);
  if (!document.headings.empty() && document.headings.front().level == 1) {
    document.title = document.headings.front().title;
  }
  Page page;
  page.label = "1";
  const bool blank = decoded.text.find_first_not_of(" \t\n") == std::string::npos;
  page.state = blank ? PageState::empty : PageState::text;
  page.text = std::move(decoded.text);
  document.pages.push_back(std::move(page));
  return document;
}

}  // namespace lore::ingest
