#include "ingest/chunk/headings.hpp"

#include <string_view>
#include <utility>

#include "base/utf8.hpp"
#include "ingest/chunk/characters.hpp"

namespace lore::ingest {
namespace {

// The text in one line, white space collapsed.
std::string one_line(std::string_view text) {
  std::string result;
  bool space = false;
  for (std::size_t i = 0; i < text.size();) {
    const char32_t c = utf8::next(text, i);
    if (is_white_space(c) || c < 0x20) {
      space = !result.empty();
      continue;
    }
    if (space) result += ' ';
    space = false;
    utf8::append(result, c);
  }
  return result;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string result;
  for (const std::string& part : parts) {
    if (!result.empty()) result += " > ";
    result += part;
  }
  return result;
}

// From the whole line to ever shorter ones: without outer headings, then without the title.
std::vector<std::string> candidates(const std::string& title, std::span<const std::string> path) {
  std::vector<std::string> headings;
  for (const std::string& heading : path) {
    std::string line = one_line(heading);
    if (!line.empty()) headings.push_back(std::move(line));
  }
  const std::string name = one_line(title);
  const bool titled = !name.empty() && (headings.empty() || headings.front() != name);
  std::vector<std::string> result;
  for (const bool with_title : {true, false}) {
    if (with_title && !titled) continue;
    for (std::size_t skip = 0; skip == 0 || skip < headings.size(); ++skip) {
      std::vector<std::string> parts;
      if (with_title) parts.push_back(name);
      parts.insert(parts.end(), headings.begin() + static_cast<std::ptrdiff_t>(skip),
                   headings.end());
      if (!parts.empty()) result.push_back(joined(parts));
    }
  }
  return result;
}

// For every heading the indices of those above it, outermost first, itself last.
std::vector<std::vector<std::size_t>> heading_paths(std::span<const Heading> headings) {
  std::vector<std::vector<std::size_t>> paths;
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < headings.size(); ++i) {
    while (!open.empty() && headings[open.back()].level >= headings[i].level) open.pop_back();
    open.push_back(i);
    paths.push_back(open);
  }
  return paths;
}

}  // namespace

Sections::Sections(const Document& document, std::size_t context_limit, CountTokens count_tokens)
    : document_(document),
      context_limit_(context_limit),
      count_tokens_(count_tokens),
      paths_(heading_paths(document.headings)),
      contexts_(document.headings.size() + 1) {}

std::vector<std::string> Sections::path(std::size_t section) const {
  std::vector<std::string> titles;
  if (section == 0) return titles;
  for (const std::size_t i : paths_[section - 1]) titles.push_back(document_.headings[i].title);
  return titles;
}

const Context& Sections::context(std::size_t section) {
  std::optional<Context>& context = contexts_[section];
  if (!context) context = make_context(path(section));
  return *context;
}

Context Sections::make_context(std::span<const std::string> path) const {
  Context context;
  const auto fits = [&](const std::string& line) {
    context.line = line;
    context.tokens = count_tokens_(line + "\n");
    return context.tokens <= context_limit_;
  };
  std::string shortest;
  for (std::string& line : candidates(document_.title, path)) {
    if (fits(line)) return context;
    shortest = std::move(line);
  }
  // Halved, so that a heading of any length costs a logarithmic number of counts.
  while (!shortest.empty()) {
    const std::size_t space = shortest.rfind(' ', shortest.size() / 2);
    shortest.resize(space == std::string::npos ? 0 : space);
    if (fits(shortest)) return context;
  }
  fits({});
  return context;
}

}  // namespace lore::ingest
