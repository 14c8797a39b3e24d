#include "tests/support/fixtures.hpp"

#include <cstdlib>
#include <fstream>
#include <stdexcept>

namespace lore::test {
namespace fs = std::filesystem;
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::optional<fs::path> if_exists(fs::path path) {
  if (!fs::exists(path)) return std::nullopt;
  return path;
}

}  // namespace

fs::path source_dir() { return LORE_SOURCE_DIR; }

std::optional<fs::path> shared_data(std::string_view relative) {
  const std::string given = environment("LORE_SHARED_DATA");
  fs::path root = source_dir().parent_path() / "shared" / "data";
  if (!given.empty()) root = given;
  return if_exists(root / relative);
}

std::optional<fs::path> model_path(std::string_view name) {
  fs::path home = environment("LORE_HOME");
  if (home.empty()) {
    const std::string data = environment("XDG_DATA_HOME");
    home = data.empty() ? fs::path(environment("HOME")) / ".local/share/lore"
                        : fs::path(data) / "lore";
  }
  return if_exists(home / "models" / (std::string(name) + ".gguf"));
}

std::vector<std::string> read_lines(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path.string());
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(std::move(line));
  return lines;
}

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (fs::temp_directory_path() / "lore-test-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make " + pattern);
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

fs::path TemporaryFolder::write(std::string_view relative, std::string_view bytes) const {
  const fs::path target = path_ / relative;
  fs::create_directories(target.parent_path());
  std::ofstream file(target, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file) throw std::runtime_error("cannot write " + target.string());
  return target;
}

}  // namespace lore::test
