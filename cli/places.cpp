#include "cli/places.hpp"

#include <cstdlib>
#include <system_error>

#include "lore/error.hpp"
#include "lore/library.hpp"

namespace lore::cli {
namespace {

std::filesystem::path variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::filesystem::path() : std::filesystem::path(value);
}

std::filesystem::path below_home(const char* xdg_variable, const char* usual) {
  const std::filesystem::path folder = variable(xdg_variable);
  if (!folder.empty()) return folder;
  const std::filesystem::path home = variable("HOME");
  return (home.empty() ? std::filesystem::path("/") : home) / usual;
}

}  // namespace

std::filesystem::path models_folder() {
  const std::filesystem::path home = variable("LORE_HOME");
  return (home.empty() ? below_home("XDG_DATA_HOME", ".local/share") / "lore" : home) / "models";
}

std::filesystem::path user_config() {
  const std::filesystem::path named = variable("LORE_CONFIG");
  if (!named.empty()) return named;
  return below_home("XDG_CONFIG_HOME", ".config") / "lore" / "config.json";
}

std::string shown(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::path here = std::filesystem::current_path(error);
  if (error || !path.is_absolute()) return path.string();
  const std::filesystem::path relative = path.lexically_relative(here);
  if (relative.empty() || *relative.begin() == "..") return path.string();
  return relative.string();
}

std::filesystem::path locate_index(const std::string& given) {
  std::error_code ignored;
  if (!given.empty()) {
    const std::filesystem::path folder = given;
    const std::filesystem::path inside = folder / ".lore";
    const bool is_documents =
        folder.filename() != ".lore" && std::filesystem::is_directory(inside, ignored);
    return is_documents ? inside : folder;
  }
  const std::filesystem::path here = std::filesystem::current_path(ignored);
  if (auto found = find_index(here)) return *found;
  throw Error(ErrorCode::not_found,
              "no index found: there is no .lore folder in " + here.string() +
                  " or above it; make one with: lore index FOLDER, or name one by --index");
}

}  // namespace lore::cli
