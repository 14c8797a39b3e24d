// White space at the ends of a stretch of text.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/utf8.hpp"
#include "ingest/chunk/characters.hpp"

namespace lore::ingest {

/// `end` moved back over the white space that text[begin, end) ends with.
inline std::size_t trimmed_end(std::string_view text, std::size_t begin, std::size_t end) {
  while (end > begin) {
    std::size_t start = end - 1;
    while (start > begin && (static_cast<unsigned char>(text[start]) & 0xC0U) == 0x80U) --start;
    std::size_t offset = start;
    if (!is_white_space(utf8::next(text, offset))) break;
    end = start;
  }
  return end;
}

/// `begin` moved past the white space that text[begin, end) starts with.
inline std::size_t trimmed_begin(std::string_view text, std::size_t begin, std::size_t end) {
  while (begin < end) {
    std::size_t next = begin;
    if (!is_white_space(utf8::next(text, next))) break;
    begin = next;
  }
  return begin;
}

inline std::string_view trimmed(std::string_view text) {
  const std::size_t begin = trimmed_begin(text, 0, text.size());
  return text.substr(begin, trimmed_end(text, begin, text.size()) - begin);
}

}  // namespace lore::ingest
