#include "engine/convert/json_file.hpp"

#include <cerrno>
#include <limits>
#include <set>
#include <system_error>

#include "base/file.hpp"
#include "lore/error.hpp"

namespace lore::engine::convert {
namespace {

constexpr std::uint64_t kLargestFile = std::uint64_t{1}
                                       << 28;  // bytes; tokenizer.json: 0.5 to 20e6

}  // namespace

nlohmann::json parse_json(std::string_view text, const std::filesystem::path& path,
                          bool reject_duplicates) {
  using Json = nlohmann::json;
  std::set<std::string> keys;
  const auto watch = [&](int depth, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::key && depth == 1) {
      if (!keys.insert(parsed.get<std::string>()).second) {
        throw Error(ErrorCode::corrupt,
                    path.string() + " names " + parsed.get<std::string>() +
                        " twice; the file is damaged, get it again",
                    path.string());
      }
    }
    return true;
  };
  try {
    if (reject_duplicates) return Json::parse(text.begin(), text.end(), watch);
    return Json::parse(text.begin(), text.end());
  } catch (const Json::exception& error) {
    throw Error(ErrorCode::corrupt,
                path.string() + " is not valid JSON (" + error.what() + "); get it again",
                path.string());
  }
}

bool is_there(const std::filesystem::path& path) {
  std::error_code error;
  const bool found = std::filesystem::exists(path, error);
  if (error) throw system_error("look at", path, error.value());
  return found;
}

void require_regular_file(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (std::filesystem::is_regular_file(status)) return;
  if (status.type() == std::filesystem::file_type::not_found) {
    throw system_error("open", path, ENOENT);
  }
  if (error) throw system_error("open", path, error.value());
  throw Error(ErrorCode::io, path.string() + " is no file; get the model's folder again",
              path.string());
}

std::string read_regular_file(const std::filesystem::path& path) {
  require_regular_file(path);
  return read_file(path, kLargestFile);
}

JsonFile::JsonFile(const std::filesystem::path& path)
    : path_(path), value_(parse_json(read_regular_file(path), path)) {
  if (!value_.is_object()) {
    throw Error(ErrorCode::corrupt, path_.string() + " holds no JSON object; get it again",
                path_.string());
  }
}

JsonFile JsonFile::read_if_present(const std::filesystem::path& path) {
  if (is_there(path)) return JsonFile(path);
  JsonFile empty;
  empty.path_ = path;
  return empty;
}

bool JsonFile::has(std::string_view key) const {
  const auto found = value_.find(key);
  return found != value_.end() && !found->is_null();
}

std::optional<std::string> JsonFile::text(std::string_view key) const {
  if (!has(key)) return std::nullopt;
  const nlohmann::json& value = *value_.find(key);
  if (!value.is_string()) fail(key, "is not a text");
  return value.get<std::string>();
}

std::optional<bool> JsonFile::flag(std::string_view key) const {
  if (!has(key)) return std::nullopt;
  const nlohmann::json& value = *value_.find(key);
  if (!value.is_boolean()) fail(key, "is neither true nor false");
  return value.get<bool>();
}

std::optional<double> JsonFile::number(std::string_view key) const {
  if (!has(key)) return std::nullopt;
  const nlohmann::json& value = *value_.find(key);
  if (!value.is_number()) fail(key, "is not a number");
  return value.get<double>();
}

std::size_t JsonFile::require_count(std::string_view key) const {
  if (!has(key)) fail(key, "is missing");
  const nlohmann::json& value = *value_.find(key);
  if (!value.is_number_unsigned()) fail(key, "is not a whole number above 0");
  const auto count = value.get<std::uint64_t>();
  if (count == 0 || count > std::numeric_limits<std::int32_t>::max()) {
    fail(key, "is outside 1 to 2147483647");
  }
  return static_cast<std::size_t>(count);
}

void JsonFile::fail(std::string_view key, std::string_view what) const {
  throw Error(ErrorCode::corrupt,
              path_.string() + ": the key " + std::string(key) + " " + std::string(what),
              std::string(key));
}

}  // namespace lore::engine::convert
