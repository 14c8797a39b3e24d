#include "engine/tokenizer/jinja/text.hpp"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <cstdio>

#include "base/utf8.hpp"
#include "engine/tokenizer/jinja/error.hpp"
#include "engine/tokenizer/jinja/limits.hpp"

namespace lore::engine::jinja {
namespace {

bool in_set(char32_t code_point, const std::vector<char32_t>& set) {
  return std::find(set.begin(), set.end(), code_point) != set.end();
}

bool is_printable(char32_t code_point) {
  if (code_point < 0x20 || code_point == 0x7F) return false;
  if (code_point < 0x7F) return true;
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(code_point))) {
    case UTF8PROC_CATEGORY_CN:
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_CS:
    case UTF8PROC_CATEGORY_CO:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
    case UTF8PROC_CATEGORY_ZS:
      return false;
    default:
      return true;
  }
}

std::string escape_code(char32_t code_point) {
  std::array<char, 16> buffer{};
  const auto code = static_cast<unsigned>(code_point);
  const char* format = code < 0x100 ? "\\x%02x" : code < 0x10000 ? "\\u%04x" : "\\U%08x";
  std::snprintf(buffer.data(), buffer.size(), format, code);
  return buffer.data();
}

void append_upper(std::string& text, char32_t code_point) {
  if (code_point < 0x80) {
    text +=
        static_cast<char>(code_point >= 'a' && code_point <= 'z' ? code_point - 32 : code_point);
    return;
  }
  if (code_point == U'\u00DF') {
    text += "SS";
    return;
  }
  utf8::append(text,
               static_cast<char32_t>(utf8proc_toupper(static_cast<utf8proc_int32_t>(code_point))));
}

void append_lower(std::string& text, char32_t code_point) {
  if (code_point < 0x80) {
    text +=
        static_cast<char>(code_point >= 'A' && code_point <= 'Z' ? code_point + 32 : code_point);
    return;
  }
  utf8::append(text,
               static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(code_point))));
}

bool is_letter(char32_t code_point) {
  const auto category = utf8proc_category(static_cast<utf8proc_int32_t>(code_point));
  return category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO;
}

std::vector<std::string> split_at_spaces(std::string_view text, std::int64_t limit) {
  std::vector<std::string> parts;
  std::size_t position = 0;
  while (position < text.size()) {
    std::size_t after = position;
    if (is_space(utf8::next(text, after))) {
      position = after;
      continue;
    }
    if (limit >= 0 && static_cast<std::int64_t>(parts.size()) == limit) {
      parts.push_back(strip(text.substr(position), Side::right));
      break;
    }
    if (parts.size() >= kMostParts) throw render_error("a text splits into too many parts");
    const std::size_t begin = position;
    while (position < text.size()) {
      after = position;
      if (is_space(utf8::next(text, after))) break;
      position = after;
    }
    parts.emplace_back(text.substr(begin, position - begin));
  }
  return parts;
}

}  // namespace

bool is_space(char32_t code_point) {
  if (code_point <= 0x20) {
    return code_point == 0x20 || (code_point >= 0x09 && code_point <= 0x0D) ||
           (code_point >= 0x1C && code_point <= 0x1F);
  }
  return code_point == 0x85 || code_point == 0xA0 || code_point == 0x1680 ||
         (code_point >= 0x2000 && code_point <= 0x200A) || code_point == 0x2028 ||
         code_point == 0x2029 || code_point == 0x202F || code_point == 0x205F ||
         code_point == 0x3000;
}

std::string_view cut(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0U) == 0x80U) --most;
  return text.substr(0, most);
}

std::string quoted(std::string_view text) {
  const bool has_single = text.find('\'') != std::string_view::npos;
  const char quote = has_single && text.find('"') == std::string_view::npos ? '"' : '\'';
  std::string result(1, quote);
  for (std::size_t position = 0; position < text.size();) {
    const char32_t code_point = utf8::next(text, position);
    if (code_point == static_cast<char32_t>(quote) || code_point == U'\\') {
      result += '\\';
      result += static_cast<char>(code_point);
    } else if (code_point == U'\n') {
      result += "\\n";
    } else if (code_point == U'\r') {
      result += "\\r";
    } else if (code_point == U'\t') {
      result += "\\t";
    } else if (is_printable(code_point)) {
      utf8::append(result, code_point);
    } else {
      result += escape_code(code_point);
    }
  }
  return result + quote;
}

std::string escape_html(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&#34;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string strip(std::string_view text, Side side, std::string_view set) {
  const std::vector<char32_t> characters = utf8::decode(set);
  const auto goes = [&](char32_t code_point) {
    return characters.empty() ? is_space(code_point) : in_set(code_point, characters);
  };
  const std::vector<char32_t> all = utf8::decode(text);
  std::size_t begin = 0;
  std::size_t end = all.size();
  if (side != Side::right) {
    while (begin < end && goes(all[begin])) ++begin;
  }
  if (side != Side::left) {
    while (end > begin && goes(all[end - 1])) --end;
  }
  std::string result;
  for (std::size_t i = begin; i < end; ++i) utf8::append(result, all[i]);
  return result;
}

std::string upper(std::string_view text) {
  std::string result;
  for (std::size_t position = 0; position < text.size();) {
    append_upper(result, utf8::next(text, position));
  }
  return result;
}

std::string lower(std::string_view text) {
  std::string result;
  for (std::size_t position = 0; position < text.size();) {
    append_lower(result, utf8::next(text, position));
  }
  return result;
}

std::string title(std::string_view text) {
  std::string result;
  bool inside = false;
  for (std::size_t position = 0; position < text.size();) {
    const char32_t code_point = utf8::next(text, position);
    inside ? append_lower(result, code_point) : append_upper(result, code_point);
    inside = is_letter(code_point);
  }
  return result;
}

std::string capitalize(std::string_view text) {
  std::string result;
  for (std::size_t position = 0; position < text.size();) {
    const bool first = position == 0;
    const char32_t code_point = utf8::next(text, position);
    first ? append_upper(result, code_point) : append_lower(result, code_point);
  }
  return result;
}

std::vector<std::string> split(std::string_view text, std::string_view separator,
                               std::int64_t limit) {
  if (separator.empty()) return split_at_spaces(text, limit);
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (limit < 0 || static_cast<std::int64_t>(parts.size()) < limit) {
    const std::size_t end = text.find(separator, begin);
    if (end == std::string_view::npos) break;
    if (parts.size() >= kMostParts) throw render_error("a text splits into too many parts");
    parts.emplace_back(text.substr(begin, end - begin));
    begin = end + separator.size();
  }
  parts.emplace_back(text.substr(begin));
  return parts;
}

std::vector<std::string> split_from_right(std::string_view text, std::string_view separator,
                                          std::int64_t limit) {
  std::vector<std::string> parts = split(text, separator);
  if (limit < 0 || static_cast<std::int64_t>(parts.size()) <= limit + 1) return parts;
  const std::size_t joined = parts.size() - static_cast<std::size_t>(limit);
  const std::string_view between = separator.empty() ? " " : separator;
  std::string head = parts[0];
  for (std::size_t i = 1; i < joined; ++i) head.append(between).append(parts[i]);
  std::vector<std::string> result = {std::move(head)};
  result.insert(result.end(), parts.begin() + static_cast<std::ptrdiff_t>(joined), parts.end());
  return result;
}

std::vector<std::string> split_lines(std::string_view text, bool keep_ends) {
  std::vector<std::string> lines;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\n' && text[i] != '\r') continue;
    const bool pair = text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n';
    const std::size_t end = i + (pair ? 2 : 1);
    if (lines.size() >= kMostParts) throw render_error("a text splits into too many parts");
    lines.emplace_back(text.substr(begin, (keep_ends ? end : i) - begin));
    begin = end;
    i = end - 1;
  }
  if (begin < text.size()) lines.emplace_back(text.substr(begin));
  return lines;
}

std::string replace(std::string_view text, std::string_view from, std::string_view to,
                    std::int64_t limit) {
  std::string result;
  std::int64_t done = 0;
  std::size_t position = 0;
  while (limit < 0 || done < limit) {
    if (from.empty()) {  // before every character, and at the end
      grow(result, to);
      ++done;
      if (position >= text.size()) return result;
      std::size_t after = position;
      utf8::next(text, after);
      result += text.substr(position, after - position);
      position = after;
      continue;
    }
    const std::size_t found = text.find(from, position);
    if (found == std::string_view::npos) break;
    result += text.substr(position, found - position);
    grow(result, to);
    position = found + from.size();
    ++done;
  }
  return result.append(text.substr(position));
}

}  // namespace lore::engine::jinja
