// JSON files whose keys are checked as they are read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace lore::engine::convert {

/// Whether something of that name is there. Throws Error{io} where the system does not say.
bool is_there(const std::filesystem::path& path);
/// Throws Error{not_found, io} for what is no regular file: to open a pipe would wait for ever.
void require_regular_file(const std::filesystem::path& path);

/// The whole file, of 256 MiB at most. Throws as that does, and Error{limit_exceeded}.
std::string read_regular_file(const std::filesystem::path& path);

/// A JSON object and the file it came from, for messages. Getters throw Error{corrupt} naming file
/// and key where a value has another kind; a key that is null counts as absent.
class JsonFile {
 public:
  /// Throws Error{not_found, io}, Error{corrupt} where the file is no JSON object.
  explicit JsonFile(const std::filesystem::path& path);
  /// As above, or an empty object where there is no such file.
  static JsonFile read_if_present(const std::filesystem::path& path);

  const nlohmann::json& value() const { return value_; }
  const std::filesystem::path& path() const { return path_; }
  bool has(std::string_view key) const;

  std::optional<std::string> text(std::string_view key) const;
  std::optional<bool> flag(std::string_view key) const;
  std::optional<double> number(std::string_view key) const;
  /// A whole number of at least 1 and at most 2^31 - 1. Throws where it is absent.
  std::size_t require_count(std::string_view key) const;

  [[noreturn]] void fail(std::string_view key, std::string_view what) const;

 private:
  JsonFile() = default;
  std::filesystem::path path_;
  nlohmann::json value_ = nlohmann::json::object();
};

/// Parses text; throws Error{corrupt} that names the file. `reject_duplicates`: also for a key that
/// stands twice in the outermost object.
nlohmann::json parse_json(std::string_view text, const std::filesystem::path& path,
                          bool reject_duplicates = false);

}  // namespace lore::engine::convert
