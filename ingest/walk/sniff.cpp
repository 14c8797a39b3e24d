#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "ingest/ingest.hpp"
#include "ingest/text/encoding.hpp"
#include "ingest/walk/kinds.hpp"

namespace lore::ingest {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

bool starts_with(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

// "%PDF-1.", as the first thing in the file or after junk that a mail program or a web server left
// there. A text about PDF may hold the words too, but then no objects follow.
bool holds_pdf(std::string_view head) {
  const std::size_t marker = head.substr(0, 1024 + 8).find("%PDF-");
  if (marker == std::string_view::npos) return false;
  if (head.substr(0, marker).find_first_not_of(" \t\r\n\xEF\xBB\xBF") == std::string_view::npos) {
    return true;
  }
  return head.find(" obj", marker) != std::string_view::npos || !looks_like_text(head);
}

// Past white space, comments and an XML declaration.
std::string_view first_markup(std::string_view text) {
  for (;;) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n\xEF\xBB\xBF"), text.size()));
    const std::string_view end = starts_with(text, "<!--") ? "-->" : "?>";
    if (!starts_with(text, "<!--") && !starts_with(text, "<?xml")) return text;
    const std::size_t at = text.find(end);
    if (at == std::string_view::npos) return {};
    text.remove_prefix(at + end.size());
  }
}

bool starts_like_html(std::string_view head) {
  static constexpr std::array<std::string_view, 16> kStarts = {
      "<!doctype html", "<html", "<head", "<body",   "<title", "<meta",
      "<div",           "<p>",   "<p ",   "<h1",     "<h2",    "<h3",
      "<table",         "<ul>",  "<ol>",  "<article"};
  const std::string text = lower(first_markup(head).substr(0, 64));
  return std::any_of(kStarts.begin(), kStarts.end(),
                     [&](std::string_view start) { return starts_with(text, start); });
}

}  // namespace

Format format_of_name(const std::filesystem::path& name) {
  static constexpr std::array<std::pair<std::string_view, Format>, 12> kExtensions = {{
      {".pdf", Format::pdf},
      {".md", Format::markdown},
      {".markdown", Format::markdown},
      {".mdown", Format::markdown},
      {".mkd", Format::markdown},
      {".html", Format::html},
      {".htm", Format::html},
      {".xhtml", Format::html},
      {".txt", Format::text},
      {".text", Format::text},
      {".rst", Format::text},
      {".log", Format::text},
  }};
  const std::string extension = lower(name.extension().native());
  for (const auto& [known, format] : kExtensions) {
    if (extension == known) return format;
  }
  return Format::unknown;
}

Format sniff(std::string_view head, const std::filesystem::path& name) {
  const Format named = format_of_name(name);
  if (holds_pdf(head)) return Format::pdf;
  if (head.empty()) return named;
  if (!looks_like_text(head)) return named == Format::pdf ? named : Format::unknown;
  if (starts_like_html(head)) return Format::html;
  if (named == Format::pdf && head.find(" obj") != std::string_view::npos) return named;
  if (named == Format::markdown || named == Format::html) return named;
  return Format::text;
}

std::string describe_unknown(std::string_view head) {
  struct Kind {
    std::string_view start;
    std::string_view description;
  };
  static constexpr std::array<Kind, 14> kKinds = {{
      {"PK\x03\x04", "a ZIP archive, Office document or e-book"},
      {"\xD0\xCF\x11\xE0", "an old Office document"},
      {"{\\rtf", "an RTF document"},
      {"\x89PNG", "an image (PNG)"},
      {"\xFF\xD8\xFF", "an image (JPEG)"},
      {"GIF8", "an image (GIF)"},
      {"II*", "an image (TIFF)"},
      {"MM", "an image (TIFF)"},
      {"RIFF", "an image, sound or film (RIFF)"},
      {"\x1F\x8B", "a compressed file (gzip)"},
      {"7z\xBC\xAF", "an archive (7-Zip)"},
      {"\x7F"
       "ELF",
       "a program"},
      {"SQLite format 3", "a database (SQLite)"},
      {"GGUF", "a model file (GGUF)"},
  }};
  for (const Kind& kind : kKinds) {
    if (starts_with(head, kind.start)) return std::string(kind.description);
  }
  return head.empty() ? "an empty file" : "binary data";
}

}  // namespace lore::ingest
