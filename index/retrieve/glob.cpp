#include "index/retrieve/glob.hpp"

#include "base/glob.hpp"

namespace lore::index {

bool glob_matches(std::string_view pattern, std::string_view path) {
  while (pattern.starts_with("./")) pattern.remove_prefix(2);
  if (pattern.empty() || (pattern.front() == '/' && !path.starts_with('/'))) return false;
  const Glob glob(pattern);
  for (std::size_t slash = path.find('/'); slash != std::string_view::npos;
       slash = path.find('/', slash + 1)) {
    if (slash > 0 && glob.matches(path.substr(0, slash), true)) return true;
  }
  return glob.matches(path, false);
}

}  // namespace lore::index
