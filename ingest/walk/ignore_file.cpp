#include "ingest/walk/ignore_file.hpp"

#include <algorithm>

namespace lore::ingest {
namespace {

// Without the white space at the end that no backslash keeps.
std::string_view without_trailing_space(std::string_view line) {
  while (!line.empty() && (line.back() == ' ' || line.back() == '\t' || line.back() == '\r')) {
    if (line.size() > 1 && line[line.size() - 2] == '\\' && line.back() == ' ') break;
    line.remove_suffix(1);
  }
  return line;
}

}  // namespace

IgnoreRules::IgnoreRules(std::string_view text) {
  if (text.substr(0, 3) == "\xEF\xBB\xBF") text.remove_prefix(3);
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = without_trailing_space(text.substr(begin, end - begin));
    begin = end + 1;
    const bool kept = !line.empty() && line.front() == '!';
    if (kept) line.remove_prefix(1);
    if (line.find_first_not_of('/') == std::string_view::npos || line.front() == '#') continue;
    rules_.push_back({Glob(line), kept});
  }
}

Verdict IgnoreRules::judge(std::string_view path, bool is_folder) const {
  for (auto rule = rules_.rbegin(); rule != rules_.rend(); ++rule) {
    if (rule->glob.matches(path, is_folder)) return rule->kept ? Verdict::kept : Verdict::ignored;
  }
  return Verdict::none;
}

}  // namespace lore::ingest
