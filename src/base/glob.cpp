#include "base/glob.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/utf8.hpp"

namespace lore {
namespace {

char32_t folded(char32_t c, bool ignore_case) {
  return ignore_case && c >= U'A' && c <= U'Z' ? c + (U'a' - U'A') : c;
}

// One element of a pattern, at `offset`, against one character. Moves `offset` past the element.
bool matches_one(std::string_view pattern, std::size_t& offset, char32_t c, bool ignore_case) {
  const std::size_t start = offset;
  char32_t element = utf8::next(pattern, offset);
  if (element == U'?') return true;
  if (element == U'\\' && offset < pattern.size()) element = utf8::next(pattern, offset);
  if (element != U'[' || pattern[start] == '\\') {
    return folded(element, ignore_case) == folded(c, ignore_case);
  }
  std::size_t i = offset;
  const bool negated = i < pattern.size() && (pattern[i] == '!' || pattern[i] == '^');
  if (negated) ++i;
  bool found = false;
  const char32_t wanted = folded(c, ignore_case);
  for (bool first = true; i < pattern.size(); first = false) {
    if (pattern[i] == ']' && !first) {
      offset = i + 1;
      return found != negated;
    }
    if (pattern[i] == '\\' && i + 1 < pattern.size()) ++i;
    const char32_t low = utf8::next(pattern, i);
    char32_t high = low;
    if (i + 1 < pattern.size() && pattern[i] == '-' && pattern[i + 1] != ']') {
      ++i;
      if (pattern[i] == '\\' && i + 1 < pattern.size()) ++i;
      high = utf8::next(pattern, i);
    }
    found = found || (wanted >= folded(low, ignore_case) && wanted <= folded(high, ignore_case));
  }
  return c == U'[';  // no "]": the bracket stands for itself
}

// One part of a pattern against one part of a path. A star that fails is taken one longer; only the
// last star has to be tried again, so the time is at most the product of the lengths.
bool matches_part(std::string_view pattern, std::string_view text, bool ignore_case) {
  constexpr std::size_t kNone = std::string_view::npos;
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = kNone;   // past the last star,
  std::size_t star_text = 0;  // and what it has taken
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = ++p;
      star_text = t;
      continue;
    }
    std::size_t next_p = p;
    std::size_t next_t = t;
    if (p < pattern.size() && matches_one(pattern, next_p, utf8::next(text, next_t), ignore_case)) {
      p = next_p;
      t = next_t;
      continue;
    }
    if (star == kNone) return false;
    utf8::next(text, star_text);
    p = star;
    t = star_text;
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

std::vector<std::string> split(std::string_view path) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t slash = std::min(path.find('/', begin), path.size());
    if (slash > begin) parts.emplace_back(path.substr(begin, slash - begin));
    begin = slash + 1;
  }
  return parts;
}

}  // namespace

Glob::Glob(std::string_view pattern, Case letter_case) : letter_case_(letter_case) {
  if (!pattern.empty() && pattern.back() == '/') {
    folder_only_ = true;
    pattern.remove_suffix(1);
  }
  const bool anywhere = pattern.find('/') == std::string_view::npos;
  parts_ = split(pattern);
  if (anywhere) parts_.insert(parts_.begin(), "**");
}

bool Glob::matches(std::string_view path, bool is_folder) const {
  if (folder_only_ && !is_folder) return false;
  const std::vector<std::string> names = split(path);
  // reached[k]: the parts so far fit the first k names.
  std::vector<char> reached(names.size() + 1, 0);
  reached[0] = 1;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    std::vector<char> next(names.size() + 1, 0);
    if (parts_[i] == "**") {
      // At the end "a/**" is what lies below a, not a itself.
      const std::size_t least = i + 1 == parts_.size() && i > 0 ? 1 : 0;
      char any = 0;
      for (std::size_t k = 0; k <= names.size(); ++k) {
        if (k >= least) any = any || reached[k - least];
        next[k] = any;
      }
    } else {
      for (std::size_t k = 0; k < names.size(); ++k) {
        next[k + 1] = reached[k] && matches_part(parts_[i], names[k], letter_case_ == Case::ignore);
      }
    }
    reached = std::move(next);
  }
  return reached[names.size()] != 0;
}

bool Glob::names_hidden(std::string_view name) const {
  for (const std::string& part : parts_) {
    if (part.front() == '.' && matches_part(part, name, letter_case_ == Case::ignore)) return true;
  }
  return false;
}

}  // namespace lore
