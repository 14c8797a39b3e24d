// Where tests find their data, and folders that clean up after themselves.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lore::test {

/// The root of the source tree.
std::filesystem::path source_dir();

/// A file or folder of the shared test data, or nothing where this machine has none. The folder is
/// `$LORE_SHARED_DATA`, or `shared/data` beside the source tree.
std::optional<std::filesystem::path> shared_data(std::string_view relative);

/// A model by name ("minilm", "smollm2", …) in $LORE_HOME/models, or nothing.
std::optional<std::filesystem::path> model_path(std::string_view name);

/// The lines of a UTF-8 file, without their ends.
std::vector<std::string> read_lines(const std::filesystem::path& path);

/// A new empty folder below the system's temporary one, removed with everything in it.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  /// Writes a file below it, with its folders.
  std::filesystem::path write(std::string_view relative, std::string_view bytes) const;

 private:
  std::filesystem::path path_;
};

}  // namespace lore::test

/// Skips the test, visibly, where the shared data or a model is not on this machine; `variable` is
/// its path otherwise.
#define LORE_REQUIRE_SHARED(variable, relative)                                                \
  const auto variable##_found = ::lore::test::shared_data(relative);                           \
  if (!variable##_found) GTEST_SKIP() << "shared test data not on this machine: " << relative; \
  const std::filesystem::path& variable = *variable##_found

#define LORE_REQUIRE_MODEL(variable, name)                                           \
  const auto variable##_found = ::lore::test::model_path(name);                      \
  if (!variable##_found)                                                             \
    GTEST_SKIP() << "model not on this machine: run scripts/get-models.sh " << name; \
  const std::filesystem::path& variable = *variable##_found
