#include "index/retrieve/glob.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/utf8.hpp"

namespace lore::index {
namespace {

// One step of a pattern.
struct Token {
  enum class Kind { literal, one, set, star, stars, folders } kind = Kind::literal;
  char32_t literal = 0;
  bool negated = false;
  std::vector<std::pair<char32_t, char32_t>> ranges;

  bool takes(char32_t c) const {
    switch (kind) {
      case Kind::literal:
        return c == literal;
      case Kind::one:
      case Kind::star:
        return c != U'/';
      case Kind::stars:
      case Kind::folders:
        return true;
      case Kind::set: {
        bool inside = false;
        for (const auto& [first, last] : ranges) inside = inside || (c >= first && c <= last);
        return c != U'/' && inside != negated;
      }
    }
    return false;
  }
  bool repeats() const {
    return kind == Kind::star || kind == Kind::stars || kind == Kind::folders;
  }
};

// The set that begins after '[' at `i`, or nothing where no ']' closes it.
std::optional<Token> read_set(const std::vector<char32_t>& pattern, std::size_t& i) {
  std::size_t at = i;
  Token token;
  token.kind = Token::Kind::set;
  if (at < pattern.size() && (pattern[at] == U'!' || pattern[at] == U'^')) {
    token.negated = true;
    ++at;
  }
  for (bool first = true; at < pattern.size(); first = false) {
    if (pattern[at] == U']' && !first) {
      i = at + 1;
      return token;
    }
    const char32_t low = pattern[at++];
    if (at + 1 < pattern.size() && pattern[at] == U'-' && pattern[at + 1] != U']') {
      token.ranges.emplace_back(low, pattern[at + 1]);
      at += 2;
    } else {
      token.ranges.emplace_back(low, low);
    }
  }
  return std::nullopt;
}

std::vector<Token> tokens_of(std::string_view text) {
  const std::vector<char32_t> pattern = utf8::decode(text);
  std::vector<Token> tokens;
  for (std::size_t i = 0; i < pattern.size();) {
    const char32_t c = pattern[i++];
    Token token;
    token.literal = c;
    if (c == U'*') {
      token.kind = Token::Kind::star;
      while (i < pattern.size() && pattern[i] == U'*') {
        token.kind = Token::Kind::stars;
        ++i;
      }
      // "**/" stands for any number of folders, none included, and so takes its slash along.
      const bool at_start = tokens.empty() || tokens.back().literal == U'/' ||
                            tokens.back().kind == Token::Kind::folders;
      if (token.kind == Token::Kind::stars && at_start && i < pattern.size() &&
          pattern[i] == U'/') {
        token.kind = Token::Kind::folders;
        ++i;
      }
      tokens.push_back(std::move(token));
      continue;
    }
    if (c == U'?') token.kind = Token::Kind::one;
    if (c == U'[') {
      if (auto set = read_set(pattern, i)) token = *std::move(set);
    }
    if (c == U'\\' && i < pattern.size()) token.literal = pattern[i++];
    tokens.push_back(std::move(token));
  }
  return tokens;
}

// All places of the pattern that the path so far can lead to, advanced a character at a time.
bool matches(const std::vector<Token>& pattern, const std::vector<char32_t>& path, bool anywhere) {
  std::vector<bool> places(pattern.size() + 1, false);
  const auto enter = [&](std::vector<bool>& set, std::size_t place, bool folder_starts) {
    for (;; ++place) {
      set[place] = true;
      if (place == pattern.size() || !pattern[place].repeats()) return;
      if (pattern[place].kind == Token::Kind::folders && !folder_starts) return;
    }
  };
  enter(places, 0, true);
  for (std::size_t i = 0; i < path.size(); ++i) {
    // A folder that matches takes what is below it.
    if (path[i] == U'/' && places[pattern.size()]) return true;
    std::vector<bool> next(pattern.size() + 1, false);
    for (std::size_t place = 0; place < pattern.size(); ++place) {
      if (!places[place] || !pattern[place].takes(path[i])) continue;
      enter(next, pattern[place].repeats() ? place : place + 1, path[i] == U'/');
    }
    if (anywhere && path[i] == U'/') enter(next, 0, true);
    places = std::move(next);
  }
  return places[pattern.size()];
}

}  // namespace

bool glob_matches(std::string_view pattern, std::string_view path) {
  while (pattern.starts_with("./")) pattern.remove_prefix(2);
  while (pattern.size() > 1 && pattern.ends_with('/')) pattern.remove_suffix(1);
  const bool anywhere = pattern.find('/') == std::string_view::npos;
  return matches(tokens_of(pattern), utf8::decode(path), anywhere);
}

}  // namespace lore::index
