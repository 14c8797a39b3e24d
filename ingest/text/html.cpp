#include <gumbo.h>

#include <algorithm>
#include <array>
#include <memory_resource>
#include <string>
#include <utility>
#include <vector>

#include "ingest/text/block_writer.hpp"
#include "ingest/text/encoding.hpp"
#include "ingest/text/html_source.hpp"
#include "ingest/text/text_reader.hpp"

namespace lore::ingest {
namespace {

constexpr std::size_t kMaxDepth = 500;

// Memory of one parsed document, given back as a whole: gumbo's own way to free a tree calls itself
// for every level and would run out of stack where the elements nest deeply. An allocation that
// fails throws through gumbo, which has nothing to clean up.
class Arena {
 public:
  GumboOptions options() {
    GumboOptions options = kGumboDefaultOptions;
    options.max_errors = 0;
    options.userdata = &memory_;
    options.allocator = [](void* memory, std::size_t size) {
      return static_cast<std::pmr::monotonic_buffer_resource*>(memory)->allocate(size);
    };
    options.deallocator = [](void*, void*) {};
    return options;
  }

 private:
  std::pmr::monotonic_buffer_resource memory_;
};

std::string_view attribute(const GumboNode& node, const char* name) {
  const GumboAttribute* found = ::gumbo_get_attribute(&node.v.element.attributes, name);
  return found == nullptr ? std::string_view() : found->value;
}

bool has_attribute(const GumboNode& node, const char* name) {
  return ::gumbo_get_attribute(&node.v.element.attributes, name) != nullptr;
}

bool is_element(const GumboNode& node) {
  return node.type == GUMBO_NODE_ELEMENT || node.type == GUMBO_NODE_TEMPLATE;
}

std::string without_spaces(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c != ' ' && c != '\t' && c != '\n') {
      result += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
  }
  return result;
}

// What a browser does not show.
bool is_hidden(const GumboNode& node) {
  static constexpr std::array<GumboTag, 14> kHidden = {
      GUMBO_TAG_HEAD,   GUMBO_TAG_SCRIPT,   GUMBO_TAG_STYLE, GUMBO_TAG_TEMPLATE, GUMBO_TAG_NOSCRIPT,
      GUMBO_TAG_IFRAME, GUMBO_TAG_OBJECT,   GUMBO_TAG_SVG,   GUMBO_TAG_AUDIO,    GUMBO_TAG_VIDEO,
      GUMBO_TAG_CANVAS, GUMBO_TAG_DATALIST, GUMBO_TAG_TITLE, GUMBO_TAG_NOEMBED};
  if (std::find(kHidden.begin(), kHidden.end(), node.v.element.tag) != kHidden.end()) return true;
  if (has_attribute(node, "hidden")) return true;
  const std::string style = without_spaces(attribute(node, "style"));
  return style.find("display:none") != std::string::npos ||
         style.find("visibility:hidden") != std::string::npos;
}

// Line ends that an element's text is parted by from what is around it.
int break_of(GumboTag tag) {
  switch (tag) {
    case GUMBO_TAG_P:
    case GUMBO_TAG_UL:
    case GUMBO_TAG_OL:
    case GUMBO_TAG_DL:
    case GUMBO_TAG_PRE:
    case GUMBO_TAG_BLOCKQUOTE:
    case GUMBO_TAG_TABLE:
    case GUMBO_TAG_FIGURE:
    case GUMBO_TAG_SECTION:
    case GUMBO_TAG_ARTICLE:
    case GUMBO_TAG_HEADER:
    case GUMBO_TAG_FOOTER:
    case GUMBO_TAG_MAIN:
    case GUMBO_TAG_ASIDE:
    case GUMBO_TAG_NAV:
    case GUMBO_TAG_FORM:
    case GUMBO_TAG_FIELDSET:
    case GUMBO_TAG_HR:
    case GUMBO_TAG_DETAILS:
    case GUMBO_TAG_HGROUP:
      return 2;
    case GUMBO_TAG_DIV:
    case GUMBO_TAG_DT:
    case GUMBO_TAG_DD:
    case GUMBO_TAG_ADDRESS:
    case GUMBO_TAG_FIGCAPTION:
    case GUMBO_TAG_CAPTION:
    case GUMBO_TAG_LEGEND:
    case GUMBO_TAG_SUMMARY:
    case GUMBO_TAG_OPTION:
    case GUMBO_TAG_CENTER:
    case GUMBO_TAG_TR:
    case GUMBO_TAG_TD:
    case GUMBO_TAG_TH:
      return 1;
    default:
      return 0;
  }
}

int heading_level(GumboTag tag) {
  return tag >= GUMBO_TAG_H1 && tag <= GUMBO_TAG_H6 ? static_cast<int>(tag - GUMBO_TAG_H1) + 1 : 0;
}

const GumboVector& children_of(const GumboNode& node) {
  return node.type == GUMBO_NODE_DOCUMENT ? node.v.document.children : node.v.element.children;
}

// Calls enter(node), which says whether to go on below it, and leave(node) for every node. Keeps
// its own stack: a document may nest deeper than the program's.
template <typename Enter, typename Leave>
void traverse(const GumboNode& root, const Enter& enter, const Leave& leave) {
  struct Frame {
    const GumboNode* node;
    unsigned next;
  };
  std::vector<Frame> stack;
  const auto visit = [&](const GumboNode& node) {
    const bool inner = node.type == GUMBO_NODE_DOCUMENT || is_element(node);
    if (enter(node) && inner) stack.push_back({&node, 0});
  };
  visit(root);
  while (!stack.empty()) {
    Frame& frame = stack.back();
    const GumboVector& children = children_of(*frame.node);
    if (frame.next < children.length) {
      visit(*static_cast<const GumboNode*>(children.data[frame.next++]));
      continue;
    }
    const GumboNode& node = *frame.node;
    stack.pop_back();
    leave(node);
  }
}

// A table inside a table: the outer one only places things on the page.
bool lays_out_page(const GumboNode& table) {
  bool found = false;
  traverse(
      table,
      [&](const GumboNode& node) {
        found =
            found || (&node != &table && is_element(node) && node.v.element.tag == GUMBO_TAG_TABLE);
        return !found;
      },
      [](const GumboNode&) {});
  return found;
}

class HtmlReader {
 public:
  void read(const GumboNode& root) {
    traverse(
        root, [this](const GumboNode& node) { return enter(node); },
        [this](const GumboNode& node) { leave(node); });
  }

  BlockWriter& writer() { return writer_; }
  const std::string& title() const { return title_; }

 private:
  struct List {
    bool numbered;
    int next;
  };

  bool enter(const GumboNode& node) {
    switch (node.type) {
      case GUMBO_NODE_TEXT:
      case GUMBO_NODE_WHITESPACE:
      case GUMBO_NODE_CDATA:
        writer_.text(node.v.text.text, preformatted_ > 0);
        return false;
      case GUMBO_NODE_DOCUMENT:
        return true;
      case GUMBO_NODE_ELEMENT:
        return enter_element(node);
      default:
        return false;
    }
  }

  bool enter_element(const GumboNode& node) {
    const GumboTag tag = node.v.element.tag;
    if (tag == GUMBO_TAG_HEAD) read_title(node);
    if (is_hidden(node)) return false;
    if (tag == GUMBO_TAG_BR) writer_.line_break();
    if (const int level = heading_level(tag)) writer_.start_heading(level);
    if (tag == GUMBO_TAG_TABLE) tables_.push_back(!lays_out_page(node));
    if (tag == GUMBO_TAG_LI) {
      start_item();
    } else if (is_row(tag)) {
      writer_.start_row();
    } else if (is_cell(tag)) {
      writer_.start_cell();
    } else if (const int lines = break_of(tag)) {
      // A list inside a list starts on the next line, not after an empty one.
      writer_.break_lines(lists_.empty() ? lines : 1);
    }
    if (tag == GUMBO_TAG_UL) lists_.push_back({false, 1});
    if (tag == GUMBO_TAG_OL) lists_.push_back({true, start_number(node)});
    if (tag == GUMBO_TAG_PRE || tag == GUMBO_TAG_TEXTAREA) ++preformatted_;
    return true;
  }

  void leave(const GumboNode& node) {
    if (node.type != GUMBO_NODE_ELEMENT) return;
    const GumboTag tag = node.v.element.tag;
    if (heading_level(tag) > 0) writer_.end_heading();
    if (tag == GUMBO_TAG_UL || tag == GUMBO_TAG_OL) lists_.pop_back();
    if (tag == GUMBO_TAG_PRE || tag == GUMBO_TAG_TEXTAREA) --preformatted_;
    if (is_row(tag)) {
      writer_.end_row();
    } else if (tag == GUMBO_TAG_LI) {
      writer_.break_lines(1);
    } else if (!is_cell(tag)) {
      if (const int lines = break_of(tag)) writer_.break_lines(lists_.empty() ? lines : 1);
    }
    if (tag == GUMBO_TAG_TABLE) tables_.pop_back();
  }

  bool in_data_table() const { return !tables_.empty() && tables_.back(); }
  bool is_row(GumboTag tag) const { return tag == GUMBO_TAG_TR && in_data_table(); }
  bool is_cell(GumboTag tag) const {
    return (tag == GUMBO_TAG_TD || tag == GUMBO_TAG_TH) && in_data_table();
  }

  static int start_number(const GumboNode& list) {
    int number = 0;
    for (const char c : attribute(list, "start").substr(0, 6)) {
      if (c >= '0' && c <= '9') number = number * 10 + (c - '0');
    }
    return has_attribute(list, "start") ? number : 1;
  }

  void start_item() {
    std::string marker(lists_.empty() ? 0 : (lists_.size() - 1) * 2, ' ');
    if (!lists_.empty() && lists_.back().numbered) {
      marker += std::to_string(lists_.back().next++) + ". ";
    } else {
      marker += "- ";
    }
    writer_.start_item(std::move(marker));
  }

  void read_title(const GumboNode& head) {
    BlockWriter text;
    bool inside = false;
    bool done = false;
    traverse(
        head,
        [&](const GumboNode& node) {
          if (is_element(node)) inside = node.v.element.tag == GUMBO_TAG_TITLE;
          if (inside && !done && !is_element(node)) text.text(node.v.text.text, false);
          return !done;
        },
        [&](const GumboNode& node) {
          done = done || (is_element(node) && node.v.element.tag == GUMBO_TAG_TITLE);
        });
    title_ = text.take_text();
  }

  BlockWriter writer_;
  std::vector<List> lists_;
  std::vector<bool> tables_;  // of the tables in hand: whether their rows are rows of data
  int preformatted_ = 0;
  std::string title_;
};

}  // namespace

Document read_html(std::string_view bytes) {
  Decoded decoded = decode(bytes, declared_charset(bytes));
  const FlatSource source = limit_nesting(decoded.text, kMaxDepth);
  Document document;
  document.format = Format::html;
  document.problems = std::move(decoded.problems);
  if (source.dropped > 0) {
    document.problems.push_back("elements are nested over " + std::to_string(kMaxDepth) +
                                " deep; the inner ones were read as plain text");
  }
  Arena arena;
  const GumboOptions options = arena.options();
  const GumboOutput* parsed =
      ::gumbo_parse_with_options(&options, source.html.data(), source.html.size());
  HtmlReader reader;
  reader.read(*parsed->document);
  document.headings = reader.writer().take_headings();
  document.title = reader.title();
  if (document.title.empty() && !document.headings.empty()) {
    document.title = document.headings.front().title;
  }
  Page page;
  page.label = "1";
  page.text = reader.writer().take_text();
  page.state = page.text.empty() ? PageState::empty : PageState::text;
  document.pages.push_back(std::move(page));
  return document;
}

}  // namespace lore::ingest
