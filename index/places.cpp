#include "index/places.hpp"

#include "base/file.hpp"

namespace lore::index {

Places::Places(const std::filesystem::path& folder)
    : folder_(canonical_path(folder)), root_(folder_.parent_path()) {}

std::string Places::stored(std::string_view path) const {
  const std::filesystem::path normal = std::filesystem::path(path).lexically_normal();
  if (!normal.is_absolute()) return normal.generic_string();
  const std::filesystem::path relative = normal.lexically_relative(root_);
  if (relative.empty() || *relative.begin() == "..") return normal.generic_string();
  return relative.generic_string();
}

std::filesystem::path Places::resolve(std::string_view stored) const {
  return (root_ / std::filesystem::path(stored)).lexically_normal();
}

}  // namespace lore::index
