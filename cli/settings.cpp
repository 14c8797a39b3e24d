#include "cli/settings.hpp"

#include <algorithm>
#include <system_error>

#include "base/file.hpp"
#include "cli/flags.hpp"
#include "cli/suggestions.hpp"
#include "lore/error.hpp"

namespace lore::cli {
namespace {

std::string key_of(std::string name) {
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

std::vector<std::string> values_of(const Json& value) {
  std::vector<std::string> values;
  if (value.is_array()) {
    for (const Json& item : value) {
      values.push_back(item.is_string() ? item.get<std::string>() : item.dump());
    }
  } else {
    values.push_back(value.is_string() ? value.get<std::string>() : value.dump());
  }
  return values;
}

std::vector<std::string> keys_of(const CLI::Option& option) {
  if (option.get_envname().empty()) return {};
  std::vector<std::string> keys{setting_of(option.get_envname())};
  for (const std::string& name : option.get_fnames()) keys.push_back(name);  // "no-normalize"
  return keys;
}

CLI::Option* find_option(CLI::App& verb, const std::string& key) {
  for (CLI::Option* option : verb.get_options()) {
    const std::vector<std::string> keys = keys_of(*option);
    if (std::find(keys.begin(), keys.end(), key) != keys.end()) return option;
  }
  return nullptr;
}

void apply(CLI::App& verb, const Json& settings, const std::filesystem::path& file,
           const std::string& only) {
  for (const auto& [name, value] : settings.items()) {
    const std::string key = key_of(name);
    if (value.is_object() || (!only.empty() && key != only)) continue;
    CLI::Option* option = find_option(verb, key);
    if (option == nullptr || option->count() > 0) continue;
    try {
      for (const std::string& text : values_of(value)) {
        option->add_result(option->get_flag_value(key, text));
      }
      option->run_callback();
    } catch (const CLI::ParseError& error) {
      throw Error(ErrorCode::invalid_argument,
                  file.string() + ": the value of \"" + name + "\" does not fit (" + error.what() +
                      "); correct it there",
                  file.string());
    }
  }
}

void check_keys(const Json& settings, const std::filesystem::path& file,
                const std::vector<std::string>& known) {
  for (const auto& [name, value] : settings.items()) {
    if (value.is_object()) {
      check_keys(value, file, known);
      continue;
    }
    const std::string key = key_of(name);
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    const auto meant = nearest(key, known);
    throw Error(ErrorCode::invalid_argument,
                file.string() + ": no flag is named \"" + name + "\"" +
                    (meant ? "; did you mean \"" + *meant + "\"?" : "; take it out"),
                file.string());
  }
}

}  // namespace

Json read_settings(const std::filesystem::path& file) {
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return Json::object();
  Json settings = Json::parse(read_file(file), nullptr, false);
  if (!settings.is_object()) {
    throw Error(
        ErrorCode::corrupt,
        file.string() + " is no JSON object; correct it, as in {\"threads\": 2}, or delete it",
        file.string());
  }
  return settings;
}

std::vector<std::string> setting_names(const CLI::App& verb) {
  std::vector<std::string> names;
  for (const CLI::Option* option : verb.get_options()) {
    for (std::string& key : keys_of(*option)) names.push_back(std::move(key));
  }
  return names;
}

void apply_settings(CLI::App& verb, const std::string& verb_name,
                    const std::vector<std::filesystem::path>& files,
                    const std::vector<std::string>& known_keys, const std::string& only) {
  for (const std::filesystem::path& file : files) {
    const Json settings = read_settings(file);
    check_keys(settings, file, known_keys);
    if (const auto own = settings.find(verb_name); own != settings.end() && own->is_object()) {
      apply(verb, *own, file, only);
    }
    apply(verb, settings, file, only);
  }
}

}  // namespace lore::cli
