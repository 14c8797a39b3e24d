#include "ingest/chunk/cut.hpp"

#include <utf8proc.h>

#include "base/utf8.hpp"
#include "ingest/chunk/characters.hpp"

namespace lore::ingest {
namespace {

bool is_clause_end(char32_t c) {
  return c == U',' || c == U';' || c == U':' || c == U'\u2014' || c == U'\u3001' ||
         c == U'\uFF0C' || c == U'\uFF1B' || c == U'\uFF1A';
}

// Text without spaces may be cut beside an ideograph, but not before what closes.
bool may_cut_between(char32_t before, char32_t after) {
  if (is_cjk_punctuation(after) || is_closing(after)) return false;
  return is_ideographic(before) || is_ideographic(after) || is_cjk_punctuation(before);
}

}  // namespace

Cut find_cut(std::string_view text, std::size_t begin, std::size_t end, std::size_t limit) {
  const std::size_t middle = begin + limit / 2;
  std::size_t line = 0;
  std::size_t clause = 0;
  std::size_t word = 0;
  char32_t before = 0;          // the last character that is not white space,
  std::size_t content = begin;  // and where it ends
  bool space = false;           // whether white space follows it,
  bool newline = false;         // with the end of a line in it
  for (std::size_t i = begin; i < end;) {
    const std::size_t at = i;
    const char32_t c = utf8::next(text, i);
    if (is_white_space(c)) {
      space = true;
      newline = newline || c == U'\n';
      continue;
    }
    if (at > begin && (space || may_cut_between(before, c))) {
      if (content - begin > limit && word > 0) break;
      word = at;
      if (newline) line = at;
      if (is_clause_end(before)) clause = at;
      if (content - begin > limit) break;  // the first word alone is over the limit
    }
    before = c;
    content = i;
    space = newline = false;
  }
  if (content - begin <= limit) return {end, Break::word};
  if (line > middle) return {line, Break::line};
  if (clause > middle) return {clause, Break::clause};
  if (word > 0) return {word, Break::word};
  return {end, Break::word};
}

Cut find_cut_inside_word(std::string_view text, std::size_t begin, std::size_t end,
                         std::size_t limit) {
  if (end - begin <= limit) return {end, Break::word};
  std::size_t cluster = begin;  // the last border of a cluster that is within the limit,
  std::size_t at = begin;       // and of a code point
  utf8proc_int32_t state = 0;
  char32_t before = 0;
  for (std::size_t i = begin; i < end;) {
    const std::size_t border = i;
    const char32_t c = utf8::next(text, i);
    if (border > begin) {
      if (border - begin > limit && at > begin) break;
      at = border;
      if (utf8proc_grapheme_break_stateful(static_cast<utf8proc_int32_t>(before),
                                           static_cast<utf8proc_int32_t>(c), &state)) {
        cluster = border;
      }
      if (border - begin > limit) break;
    }
    before = c;
  }
  if (cluster > begin) return {cluster, Break::character};
  return {at > begin ? at : end, Break::character};
}

}  // namespace lore::ingest
