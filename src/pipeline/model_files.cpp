#include "pipeline/model_files.hpp"

#include <algorithm>
#include <system_error>

#include "lore/error.hpp"
#include "lore/options.hpp"

namespace lore::pipeline {
namespace {

constexpr std::string_view kExtension = ".gguf";
/// How the name of one of a split model's files ends; 0 stands for any digit.
constexpr std::string_view kPart = "-00000-of-00000";

bool looks_like_path(std::string_view text) {
  return text.find('/') != std::string_view::npos || text.ends_with(kExtension);
}

/// "big" for big.gguf and for big-00001-of-00003.gguf; "" for other parts and other files.
std::string name_of(const std::filesystem::path& file) {
  if (file.extension() != kExtension) return {};
  const std::string stem = file.stem().string();
  if (stem.size() <= kPart.size()) return stem;
  const std::size_t at = stem.size() - kPart.size();
  for (std::size_t i = 0; i < kPart.size(); ++i) {
    const char c = stem[at + i];
    const bool fits = kPart[i] == '0' ? c >= '0' && c <= '9' : c == kPart[i];
    if (!fits) return stem;
  }
  return stem.substr(at).starts_with("-00001-") ? stem.substr(0, at) : std::string();
}

std::optional<std::filesystem::path> in_folder(std::string_view name,
                                               const std::filesystem::path& folder) {
  std::error_code ignored;
  const std::filesystem::path whole = folder / (std::string(name) + std::string(kExtension));
  if (std::filesystem::is_regular_file(whole, ignored)) return whole;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    if (name_of(entry.path()) == name && entry.is_regular_file(ignored)) return entry.path();
  }
  return std::nullopt;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace

std::vector<std::string> model_names(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    std::string name = name_of(entry.path());
    if (!name.empty() && entry.is_regular_file(ignored)) names.push_back(std::move(name));
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::optional<std::filesystem::path> find_model(std::string_view name_or_path,
                                                const std::filesystem::path& folder) {
  std::error_code ignored;
  if (name_or_path.empty()) return std::nullopt;
  if (!looks_like_path(name_or_path)) {
    if (auto found = in_folder(name_or_path, folder)) return found;
  }
  std::filesystem::path path{std::string(name_or_path)};
  if (std::filesystem::is_regular_file(path, ignored)) return path;
  return std::nullopt;
}

std::optional<std::string> default_generator(const std::filesystem::path& folder) {
  for (const std::string_view name : {kDefaultGenerator, kSmallGenerator}) {
    if (find_model(name, folder)) return std::string(name);
  }
  return std::nullopt;
}

std::filesystem::path require_model(std::string_view name_or_path,
                                    const std::filesystem::path& folder,
                                    std::string_view get_models) {
  if (auto found = find_model(name_or_path, folder)) return *found;
  const std::string name(name_or_path);
  if (looks_like_path(name_or_path)) {
    std::error_code ignored;
    const bool is_folder = std::filesystem::is_directory(name, ignored);
    throw Error(ErrorCode::not_found,
                is_folder ? "the model " + name +
                                " is a folder; turn safetensors into a model file with: lore model "
                                "convert " +
                                name + " -o FILE.gguf"
                          : "there is no model file " + name + "; check the path",
                name);
  }
  const std::vector<std::string> names = model_names(folder);
  throw Error(ErrorCode::not_found,
              "there is no model '" + name + "' in " + folder.string() +
                  (names.empty() ? " (it holds none)" : " (there are: " + joined(names) + ")") +
                  "; get it with: " + std::string(get_models) + " " + name +
                  ", or give a path to a .gguf file",
              name);
}

}  // namespace lore::pipeline
