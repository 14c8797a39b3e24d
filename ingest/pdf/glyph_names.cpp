#include "ingest/pdf/glyph_names.hpp"

#include <podofo/podofo.h>
#include <utf8proc.h>

#include <array>
#include <cstdint>
#include <optional>

#include "base/utf8.hpp"

namespace lore::ingest::pdf {
namespace {

/// Upper-case hexadecimal digits only, as the specification asks; lower case is written too.
std::optional<char32_t> parse_hex(std::string_view digits) {
  if (digits.empty() || digits.size() > 6) return std::nullopt;
  char32_t value = 0;
  for (const char c : digits) {
    if (c >= '0' && c <= '9') {
      value = value * 16 + static_cast<char32_t>(c - '0');
    } else if (c >= 'A' && c <= 'F') {
      value = value * 16 + static_cast<char32_t>(c - 'A' + 10);
    } else if (c >= 'a' && c <= 'f') {
      value = value * 16 + static_cast<char32_t>(c - 'a' + 10);
    } else {
      return std::nullopt;
    }
  }
  if (value > 0x10FFFF || (value >= 0xD800 && value < 0xE000)) return std::nullopt;
  return value;
}

std::optional<char32_t> from_table(std::string_view name) {
  if (name.empty() || name.size() > 60) return std::nullopt;
  // PoDoFo's table answers in big-endian byte order, and in its own way for unknown names.
  const PoDoFo::pdf_utf16be answer =
      PoDoFo::PdfDifferenceEncoding::NameToUnicodeID(PoDoFo::PdfName(std::string(name)));
  const auto value = static_cast<char32_t>(((answer & 0xFF) << 8) | (answer >> 8));
  if (value == 0 || (value >= 0xD800 && value < 0xE000)) return std::nullopt;
  return value;
}

std::u32string component_to_unicode(std::string_view part) {
  if (part.substr(0, 3) == "uni" && part.size() >= 7 && (part.size() - 3) % 4 == 0) {
    std::u32string out;
    for (std::size_t at = 3; at < part.size(); at += 4) {
      const auto value = parse_hex(part.substr(at, 4));
      if (!value) return {};
      out.push_back(*value);
    }
    return out;
  }
  if (part.size() >= 5 && part.size() <= 7 && part.front() == 'u') {
    if (const auto value = parse_hex(part.substr(1))) return {*value};
  }
  if (const auto value = from_table(part)) return {*value};
  return {};
}

}  // namespace

std::u32string glyph_name_to_unicode(std::string_view name) {
  if (name == ".notdef") return {};
  name = name.substr(0, name.find('.'));
  std::u32string out = component_to_unicode(name);
  if (!out.empty()) return out;  // also names of the list that hold an underscore
  for (std::size_t at = 0; at < name.size();) {
    const std::size_t end = std::min(name.find('_', at), name.size());
    out += component_to_unicode(name.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

void append_readable(std::u32string& text, char32_t code_point) {
  constexpr std::array<std::u32string_view, 7> kLatinLigatures = {U"ff",  U"fi", U"fl", U"ffi",
                                                                  U"ffl", U"st", U"st"};
  if (code_point >= 0xFB00 && code_point <= 0xFB06) {
    text += kLatinLigatures[code_point - 0xFB00];
    return;
  }
  if (code_point == '\t' || code_point == '\n' || code_point == '\r') code_point = U' ';
  if (code_point < 0x20 || (code_point >= 0x7F && code_point < 0xA0)) return;
  if (code_point >= 0xD800 && code_point < 0xE000) return;
  if (code_point > 0x10FFFF) return;
  if (code_point == 0xFEFF || code_point == 0xFFFE || code_point == 0xFFFF) return;
  const bool private_use = (code_point >= 0xE000 && code_point < 0xF900) || code_point >= 0xF0000;
  if (private_use) {
    text.push_back(utf8::kReplacement);
    return;
  }
  const bool presentation = (code_point >= 0xFB13 && code_point <= 0xFDFF) ||
                            (code_point >= 0xFE70 && code_point <= 0xFEFC);
  if (!presentation) {
    text.push_back(code_point);
    return;
  }
  std::array<utf8proc_int32_t, 24> parts{};
  const auto count = utf8proc_decompose_char(
      static_cast<utf8proc_int32_t>(code_point), parts.data(),
      static_cast<utf8proc_ssize_t>(parts.size()),
      static_cast<utf8proc_option_t>(UTF8PROC_COMPAT | UTF8PROC_DECOMPOSE), nullptr);
  if (count <= 0 || count > static_cast<utf8proc_ssize_t>(parts.size())) {
    text.push_back(code_point);
    return;
  }
  for (utf8proc_ssize_t i = 0; i < count; ++i) {
    text.push_back(static_cast<char32_t>(parts[static_cast<std::size_t>(i)]));
  }
}

}  // namespace lore::ingest::pdf
