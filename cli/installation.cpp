#include "cli/installation.hpp"

#include <cstdlib>
#include <string_view>
#include <system_error>

namespace lore::cli {

namespace fs = std::filesystem;

namespace {

bool is_on_path(const fs::path& folder) {
  const char* path = std::getenv("PATH");
  if (path == nullptr) return false;
  return (":" + std::string(path) + ":").find(":" + folder.string() + ":") != std::string::npos;
}

std::string model_fetcher(const fs::path& program) {
  std::error_code error;
  const fs::path shorthand = program.parent_path() / "lore-get-models";
  if (fs::exists(shorthand, error) && is_on_path(program.parent_path())) {
    return shorthand.filename();
  }
  const fs::path script = program.parent_path().parent_path() / "share/lore/get-models.sh";
  return fs::exists(script, error) ? script.string() : LibraryOptions().get_models;
}

}  // namespace

Installation find_installation() {
  std::error_code error;
  Installation found;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const fs::path folder = program.parent_path().parent_path();
  found.get_models = model_fetcher(program);
  if (fs::path maps = folder / "share/poppler"; fs::is_directory(maps / "cMap", error)) {
    found.reader_files.character_maps = std::move(maps);
  }
  if (fs::path ciphers = folder / "lib/ossl-modules"; fs::is_directory(ciphers, error)) {
    found.reader_files.cipher_modules = std::move(ciphers);
  }
  return found;
}

}  // namespace lore::cli
