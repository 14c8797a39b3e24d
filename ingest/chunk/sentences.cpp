#include "ingest/chunk/sentences.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

#include "base/utf8.hpp"
#include "ingest/chunk/characters.hpp"

namespace lore::ingest {
namespace {

// Sorted, lower case, without the last full stop.
constexpr std::array<std::string_view, 118> kAbbreviations = {
    "abb",  "abs",  "acc",  "allg", "anm",  "app", "approx", "apr",  "art",  "aufl", "aug", "ave",
    "av",   "bd",   "bspw", "bzgl", "bzw",  "ca",  "cap",    "cf",   "ch",   "chap", "co",  "col",
    "corp", "d.h",  "dec",  "dept", "dez",  "dgl", "dipl",   "dr",   "e.g",  "ebd",  "ed",  "eds",
    "eq",   "eqs",  "esp",  "est",  "etc",  "etw", "evtl",   "excl", "exkl", "feb",  "ff",  "fig",
    "figs", "frau", "geb",  "gem",  "gen",  "ggf", "ggfs",   "hr",   "hrsg", "hz",   "i.e", "inc",
    "incl", "inkl", "jan",  "jr",   "jul",  "jun", "kap",    "lt",   "ltd",  "m.e",  "mag", "max",
    "min",  "mio",  "mr",   "mrd",  "mrs",  "ms",  "mt",     "nov",  "no",   "nos",  "nr",  "o.ä",
    "o.g",  "oct",  "okt",  "p",    "pos",  "pp",  "prof",   "resp", "rev",  "s",    "s.o", "s.u",
    "sec",  "sect", "sen",  "sep",  "sept", "sig", "sog",    "sr",   "st",   "std",  "str", "tab",
    "tel",  "u.a",  "u.s",  "usw",  "v",    "vgl", "viz",    "vol",  "vs",   "z.b"};

constexpr std::array<std::string_view, 16> kMonths = {
    "april", "august", "dez", "dezember", "feb", "februar",  "jan",     "januar",
    "juli",  "juni",   "mai", "märz",     "nov", "november", "oktober", "september"};

std::string lower(std::string_view word) {
  std::string result(word);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
  }
  return result;
}

bool is_space_byte(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// The run of non-space bytes that ends at `end`, without opening quotes and brackets.
std::string_view word_before(std::string_view text, std::size_t end) {
  std::size_t begin = end;
  while (begin > 0 && !is_space_byte(text[begin - 1])) --begin;
  std::string_view word = text.substr(begin, end - begin);
  const std::size_t opening = word.find_last_of("([{\"'/-");
  return opening == std::string_view::npos ? word : word.substr(opening + 1);
}

std::string_view word_after(std::string_view text, std::size_t begin) {
  std::size_t end = begin;
  while (end < text.size() && !is_space_byte(text[end])) ++end;
  std::string_view word = text.substr(begin, end - begin);
  while (!word.empty() && (word.back() == ',' || word.back() == '.')) word.remove_suffix(1);
  return word;
}

bool all_digits(std::string_view word) {
  return !word.empty() &&
         std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
}

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Whether the full stop at `stop` ends a sentence whose successor starts at `after`.
bool full_stop_ends(std::string_view text, std::size_t stop, std::size_t after) {
  const std::string_view before = word_before(text, stop);
  if (before.empty()) return true;
  const unsigned char next = static_cast<unsigned char>(text[after]);
  if (std::islower(next) != 0) return false;
  if (before.size() == 1 && std::isalpha(static_cast<unsigned char>(before[0])) != 0) return false;
  if (contains(kAbbreviations, lower(before))) return false;
  if (all_digits(before) && before.size() <= 2) {
    // "3." at the start of a line numbers an item; "am 3. Mai" is a date.
    const std::size_t start = stop - before.size();
    if (start == 0 || text[start - 1] == '\n') return false;
    if (contains(kMonths, lower(word_after(text, after)))) return false;
  }
  return true;
}

struct Cursor {
  std::size_t offset;
  char32_t character;
};

// The character at `offset`, and what follows it.
Cursor peek(std::string_view text, std::size_t offset) {
  Cursor cursor{offset, 0};
  cursor.character = utf8::next(text, cursor.offset);
  return cursor;
}

}  // namespace

std::vector<std::size_t> sentence_starts(std::string_view text) {
  std::vector<std::size_t> starts;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t at = i;
    const char32_t c = utf8::next(text, i);
    if (!is_terminator(c)) continue;
    bool wide = is_wide_terminator(c);
    std::size_t end = i;  // past the run of terminators and what closes the sentence
    while (end < text.size()) {
      const Cursor following = peek(text, end);
      if (!is_terminator(following.character) && !is_closing(following.character)) break;
      wide = wide || is_wide_terminator(following.character);
      end = following.offset;
    }
    std::size_t after = end;
    while (after < text.size()) {
      const Cursor following = peek(text, after);
      if (!is_white_space(following.character)) break;
      after = following.offset;
    }
    i = end;
    if (after >= text.size()) break;
    if (!wide && after == end) continue;
    if (c == U'.' && end == at + 1 && !full_stop_ends(text, at, after)) continue;
    starts.push_back(after);
    i = after;
  }
  return starts;
}

}  // namespace lore::ingest
