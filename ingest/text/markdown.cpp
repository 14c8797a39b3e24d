#include <cmark.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "base/utf8.hpp"
#include "ingest/text/encoding.hpp"
#include "ingest/text/text_reader.hpp"

namespace lore::ingest {
namespace {

struct FreeNode {
  void operator()(cmark_node* node) const { ::cmark_node_free(node); }
};
struct FreeParser {
  void operator()(cmark_parser* parser) const { ::cmark_parser_free(parser); }
};
struct FreeIterator {
  void operator()(cmark_iter* iterator) const { ::cmark_iter_free(iterator); }
};
using Iterator = std::unique_ptr<cmark_iter, FreeIterator>;

void* present(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

// cmark's own memory ends the process where there is none left; this one throws, through C code.
// What was allocated by then is lost: a reader that runs out of memory is about to end.
cmark_mem throwing_memory() {
  return {[](std::size_t count, std::size_t size) { return present(std::calloc(count, size)); },
          [](void* memory, std::size_t size) { return present(std::realloc(memory, size)); },
          [](void* memory) { std::free(memory); }};
}

std::string_view trimmed(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(" \t\n\"'");
  if (begin == std::string_view::npos) return {};
  return line.substr(begin, line.find_last_not_of(" \t\n\"'") + 1 - begin);
}

// Settings before the text, between two lines of "---" (YAML) or "+++" (TOML).
struct FrontMatter {
  std::size_t size = 0;  // bytes, with its last line end
  std::string title;
};

FrontMatter read_front_matter(std::string_view text) {
  FrontMatter matter;
  const std::string_view fence = text.substr(0, 3);
  if (fence != "---" && fence != "+++") return matter;
  std::size_t begin = text.find('\n');
  if (begin == std::string_view::npos || !trimmed(text.substr(3, begin - 3)).empty()) return matter;
  for (++begin; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    const std::size_t separator = line.find(fence == "---" ? ':' : '=');
    if (separator != std::string_view::npos && trimmed(line.substr(0, separator)) == "title") {
      matter.title = trimmed(line.substr(separator + 1));
    }
    begin = std::min(end + 1, text.size());
    if (trimmed(line) != fence && line != "...") continue;
    matter.size = begin;
    return matter;
  }
  return {};  // never closed: a thematic break, no front matter
}

// The text of a heading without its markup.
std::string plain_title(cmark_node* heading) {
  std::string title;
  const Iterator iterator(::cmark_iter_new(heading));
  for (cmark_event_type event; (event = ::cmark_iter_next(iterator.get())) != CMARK_EVENT_DONE;) {
    if (event != CMARK_EVENT_ENTER) continue;
    cmark_node* node = ::cmark_iter_get_node(iterator.get());
    const cmark_node_type type = ::cmark_node_get_type(node);
    if (type == CMARK_NODE_TEXT || type == CMARK_NODE_CODE) title += ::cmark_node_get_literal(node);
    if (type == CMARK_NODE_SOFTBREAK || type == CMARK_NODE_LINEBREAK) title += ' ';
  }
  return std::string(trimmed(title));
}

// Headings with the lines (from 1) that they start on.
struct LineHeading {
  int level;
  std::string title;
  std::size_t line;
};

std::vector<LineHeading> parse_headings(std::string_view text) {
  std::vector<LineHeading> headings;
  cmark_mem memory = throwing_memory();  // must outlive parser and nodes
  const std::unique_ptr<cmark_parser, FreeParser> parser(
      ::cmark_parser_new_with_mem(CMARK_OPT_DEFAULT, &memory));
  ::cmark_parser_feed(parser.get(), text.data(), text.size());
  const std::unique_ptr<cmark_node, FreeNode> root(::cmark_parser_finish(parser.get()));
  const Iterator iterator(::cmark_iter_new(root.get()));
  for (cmark_event_type event; (event = ::cmark_iter_next(iterator.get())) != CMARK_EVENT_DONE;) {
    cmark_node* node = ::cmark_iter_get_node(iterator.get());
    if (event != CMARK_EVENT_ENTER || ::cmark_node_get_type(node) != CMARK_NODE_HEADING) continue;
    LineHeading heading{::cmark_node_get_heading_level(node), plain_title(node),
                        static_cast<std::size_t>(std::max(1, ::cmark_node_get_start_line(node)))};
    if (!heading.title.empty()) headings.push_back(std::move(heading));
  }
  return headings;
}

// Where each heading's line starts, in code points of `text`, the first `skip` bytes of which were
// not parsed.
std::vector<Heading> place_headings(std::string_view text, std::size_t skip,
                                    std::vector<LineHeading> found) {
  std::vector<Heading> headings;
  std::size_t line = 1;
  std::size_t offset = skip;
  std::size_t position = utf8::length(text.substr(0, skip));
  for (LineHeading& heading : found) {
    while (line < heading.line && offset < text.size()) {
      const std::size_t next = std::min(text.find('\n', offset), text.size() - 1) + 1;
      position += utf8::length(text.substr(offset, next - offset));
      offset = next;
      ++line;
    }
    headings.push_back({heading.level, std::move(heading.title), position});
  }
  return headings;
}

std::string choose_title(const FrontMatter& matter, const std::vector<Heading>& headings) {
  if (!matter.title.empty() || headings.empty()) return matter.title;
  const auto top = std::min_element(
      headings.begin(), headings.end(),
      [](const Heading& left, const Heading& right) { return left.level < right.level; });
  return top->title;
}

}  // namespace

Document read_markdown(std::string_view bytes) {
  Decoded decoded = decode(bytes);
  const std::string_view text = decoded.text;
  const FrontMatter matter = read_front_matter(text);
  Document document;
  document.format = Format::markdown;
  document.problems = std::move(decoded.problems);
  document.headings = place_headings(text, matter.size, parse_headings(text.substr(matter.size)));
  document.title = choose_title(matter, document.headings);
  Page page;
  page.label = "1";
  const bool blank = text.find_first_not_of(" \t\n") == std::string_view::npos;
  page.state = blank ? PageState::empty : PageState::text;
  page.text = std::move(decoded.text);
  document.pages.push_back(std::move(page));
  return document;
}

}  // namespace lore::ingest
