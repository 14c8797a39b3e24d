#include "base/utf8.hpp"

#include <algorithm>

namespace lore::utf8 {
namespace {

inline unsigned byte_at(std::string_view text, std::size_t i) noexcept {
  return static_cast<unsigned char>(text[i]);
}

inline bool is_continuation(unsigned byte) noexcept { return (byte & 0xC0U) == 0x80U; }

// Length of the valid sequence at `i`, or 0. The second byte's narrower ranges shut out overlong
// forms, surrogates and values over U+10FFFF.
std::size_t sequence_length(std::string_view text, std::size_t i) noexcept {
  const unsigned lead = byte_at(text, i);
  if (lead < 0x80) return 1;
  const std::size_t size = lead < 0xC2   ? 0
                           : lead < 0xE0 ? 2
                           : lead < 0xF0 ? 3
                           : lead < 0xF5 ? 4
                                         : 0;
  if (size == 0 || text.size() - i < size) return 0;
  unsigned low = 0x80;
  unsigned high = 0xBF;
  if (lead == 0xE0) low = 0xA0;
  if (lead == 0xED) high = 0x9F;
  if (lead == 0xF0) low = 0x90;
  if (lead == 0xF4) high = 0x8F;
  const unsigned second = byte_at(text, i + 1);
  if (second < low || second > high) return 0;
  for (std::size_t k = 2; k < size; ++k) {
    if (!is_continuation(byte_at(text, i + k))) return 0;
  }
  return size;
}

}  // namespace

char32_t next(std::string_view text, std::size_t& offset) noexcept {
  const std::size_t size = sequence_length(text, offset);
  const unsigned lead = byte_at(text, offset);
  if (size == 0) {
    ++offset;
    return kReplacement;
  }
  char32_t code_point = size == 1 ? lead : lead & (0x7FU >> size);
  for (std::size_t k = 1; k < size; ++k) {
    code_point = (code_point << 6) | (byte_at(text, offset + k) & 0x3FU);
  }
  offset += size;
  return code_point;
}

void append(std::string& text, char32_t c) {
  if (c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF)) c = kReplacement;
  const auto push = [&text](char32_t byte) { text.push_back(static_cast<char>(byte)); };
  if (c < 0x80) {
    push(c);
  } else if (c < 0x800) {
    push(0xC0 | (c >> 6));
    push(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    push(0xE0 | (c >> 12));
    push(0x80 | ((c >> 6) & 0x3F));
    push(0x80 | (c & 0x3F));
  } else {
    push(0xF0 | (c >> 18));
    push(0x80 | ((c >> 12) & 0x3F));
    push(0x80 | ((c >> 6) & 0x3F));
    push(0x80 | (c & 0x3F));
  }
}

bool is_valid(std::string_view text) noexcept {
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t size = sequence_length(text, i);
    if (size == 0) return false;
    i += size;
  }
  return true;
}

std::string sanitized(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) append(result, next(text, i));
  return result;
}

std::vector<char32_t> decode(std::string_view text) {
  std::vector<char32_t> result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) result.push_back(next(text, i));
  return result;
}

std::string encode(const std::vector<char32_t>& code_points) {
  std::string result;
  result.reserve(code_points.size());
  for (const char32_t c : code_points) append(result, c);
  return result;
}

std::size_t length(std::string_view text) noexcept {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return !is_continuation(static_cast<unsigned char>(c));
  }));
}

std::size_t byte_offset(std::string_view text, std::size_t position) noexcept {
  std::size_t i = 0;
  for (; i < text.size(); ++i) {
    if (is_continuation(byte_at(text, i))) continue;
    if (position == 0) break;
    --position;
  }
  return i;
}

std::string_view slice(std::string_view text, std::size_t start, std::size_t end) noexcept {
  if (end <= start) return {};
  const std::size_t begin = byte_offset(text, start);
  const std::string_view rest = text.substr(begin);
  return rest.substr(0, byte_offset(rest, end - start));
}

}  // namespace lore::utf8
