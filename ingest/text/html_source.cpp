#include "ingest/text/html_source.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace lore::ingest {
namespace {

constexpr std::size_t kMaxTagBytes = 32'768;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), [](char c) { return lower(c); });
  return result;
}

template <std::size_t N>
bool is_one_of(std::string_view name, const std::array<std::string_view, N>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Elements without content, and those that the next of their kind closes: they do not nest.
bool nests(std::string_view name) {
  static constexpr std::array<std::string_view, 29> kFlat = {
      "area",  "base",   "br",    "col", "embed",  "hr",   "img",  "input", "link",    "meta",
      "param", "source", "track", "wbr", "p",      "li",   "td",   "th",    "tr",      "thead",
      "tbody", "tfoot",  "dt",    "dd",  "option", "html", "head", "body",  "colgroup"};
  return !is_one_of(name, kFlat);
}

// Elements whose content is text up to their end tag, whatever it looks like.
bool holds_raw_text(std::string_view name) {
  static constexpr std::array<std::string_view, 8> kRaw = {
      "script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes"};
  return is_one_of(name, kRaw);
}

bool is_name_character(char c) {
  const char l = lower(c);
  return (l >= 'a' && l <= 'z') || (l >= '0' && l <= '9') || l == '-' || l == ':';
}

// Past the '>' that ends the tag at `begin`, quoted values skipped; the end of `html` where it has
// none.
std::size_t tag_end(std::string_view html, std::size_t begin) {
  char quote = 0;
  for (std::size_t i = begin; i < html.size(); ++i) {
    const char c = html[i];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '>') {
      return i + 1;
    } else if ((c == '"' || c == '\'') && i > begin && html[i - 1] == '=') {
      quote = c;
    }
  }
  return html.size();
}

// Where "</name" stands at or after `begin`.
std::size_t find_end_tag(std::string_view html, std::size_t begin, std::string_view name) {
  for (std::size_t at = html.find("</", begin); at != std::string_view::npos;
       at = html.find("</", at + 2)) {
    if (lower(html.substr(at + 2, name.size())) == name) return at;
  }
  return html.size();
}

// Copies a source tag by tag.
class Flattener {
 public:
  Flattener(std::string_view html, std::size_t max_depth) : html_(html), max_depth_(max_depth) {}

  FlatSource run() {
    while (at_ < html_.size()) {
      const std::size_t tag = std::min(html_.find('<', at_), html_.size());
      copy_until(tag);
      if (tag == html_.size()) break;
      take_markup();
    }
    return std::move(result_);
  }

 private:
  void copy_until(std::size_t end) {
    result_.html.append(html_, at_, end - at_);
    at_ = end;
  }

  void take_markup() {
    if (html_.substr(at_, 4) == "<!--") {
      const std::size_t end = html_.find("-->", at_ + 4);
      copy_until(end == std::string_view::npos ? html_.size() : end + 3);
      return;
    }
    const bool closes = html_.substr(at_, 2) == "</";
    const std::size_t name_begin = at_ + (closes ? 2 : 1);
    std::size_t name_end = name_begin;
    while (name_end < html_.size() && is_name_character(html_[name_end])) ++name_end;
    if (name_end == name_begin) {
      copy_until(at_ + 1);
      return;
    }
    take_tag(lower(html_.substr(name_begin, name_end - name_begin)), closes,
             tag_end(html_, name_end));
  }

  void take_tag(const std::string& name, bool closes, std::size_t end) {
    if (nests(name) && (closes ? dropped_open_ > 0 : depth_ >= max_depth_)) {
      dropped_open_ = closes ? dropped_open_ - 1 : dropped_open_ + 1;
      ++result_.dropped;
      result_.html += ' ';
      at_ = end;
    } else if (end - at_ > kMaxTagBytes) {
      result_.html += (closes ? "</" : "<") + name + ">";
      at_ = end;
      if (nests(name)) count(name, closes);
    } else {
      copy_until(end);
      if (nests(name)) count(name, closes);
    }
    if (!closes && holds_raw_text(name)) copy_until(find_end_tag(html_, at_, name));
  }

  // An end tag closes what is open under its name; a stray one closes nothing.
  void count(const std::string& name, bool closes) {
    std::size_t& open = open_[name];
    if (!closes) {
      ++open;
      ++depth_;
    } else if (open > 0) {
      --open;
      --depth_;
    }
  }

  std::string_view html_;
  std::size_t max_depth_;
  std::size_t at_ = 0;
  std::unordered_map<std::string, std::size_t> open_;  // elements, by name
  std::size_t depth_ = 0;                              // and all of them
  std::size_t dropped_open_ = 0;  // dropped start tags whose end tags are still to come
  FlatSource result_;
};

// The value after "charset=" or "encoding=", with or without quotes.
std::string value_after(std::string_view tag, std::string_view key) {
  std::size_t at = tag.find(key);
  if (at == std::string_view::npos) return {};
  at = tag.find_first_not_of(" \t\r\n", at + key.size());
  if (at == std::string_view::npos || tag[at] != '=') return {};
  at = tag.find_first_not_of(" \t\r\n\"'", at + 1);
  if (at == std::string_view::npos) return {};
  const std::size_t end = tag.find_first_of(" \t\r\n\"';/>?", at);
  return std::string(tag.substr(at, end == std::string_view::npos ? end : end - at));
}

}  // namespace

std::string declared_charset(std::string_view bytes) {
  const std::string head = lower(bytes.substr(0, 4096));
  if (head.rfind("<?xml", 0) == 0) {
    std::string charset = value_after(head.substr(0, head.find('>')), "encoding");
    if (!charset.empty()) return charset;
  }
  for (std::size_t at = head.find("<meta"); at != std::string::npos;
       at = head.find("<meta", at + 1)) {
    std::string charset = value_after(head.substr(at, head.find('>', at) - at), "charset");
    if (!charset.empty()) return charset;
  }
  return {};
}

FlatSource limit_nesting(std::string_view html, std::size_t max_depth) {
  return Flattener(html, max_depth).run();
}

}  // namespace lore::ingest
