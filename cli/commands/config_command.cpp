#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "base/file.hpp"
#include "cli/command.hpp"
#include "cli/json_fields.hpp"
#include "cli/places.hpp"
#include "cli/render/style.hpp"
#include "cli/settings.hpp"
#include "cli/suggestions.hpp"
#include "lore/error.hpp"

namespace lore::cli {
namespace {

namespace fs = std::filesystem;

/// "ask.k" → "ask", "k"; "threads" → "", "threads".
std::pair<std::string, std::string> split(const std::string& key) {
  const std::size_t dot = key.find('.');
  if (dot == std::string::npos) return {"", key};
  return {key.substr(0, dot), key.substr(dot + 1)};
}

class ConfigCommand : public Command {
 public:
  std::string name() const override { return "config"; }
  std::string help() const override {
    return "Show, find or change the settings that stand in for flags";
  }

  void declare(CLI::App& verb) override {
    app_ = verb.get_parent();
    verb.add_option("ACTION", action_, "show (the default), path, set or unset")
        ->check(CLI::IsMember({"show", "path", "set", "unset"}));
    verb.add_option("KEY", key_, "A flag without its dashes (threads), for one verb: ask.strict");
    verb.add_option("VALUE", value_, "What set gives it");
  }

  int run(Console& console) override {
    const bool changes = action_ == "set" || action_ == "unset";
    if (changes == key_.empty() || (action_ == "set") == value_.empty()) {
      throw Error(ErrorCode::invalid_argument,
                  "say: lore config show, path, set KEY VALUE or unset KEY", "config");
    }
    if (action_ == "path") {
      console.out(user_config().string() + "\n");
    } else if (action_ == "show") {
      show(console);
    } else {
      change(console);
    }
    return kDone;
  }

 private:
  static void print(const Json& settings, const std::string& prefix, const std::string& from,
                    Console& console) {
    for (const auto& [name, value] : settings.items()) {
      std::string line = prefix;
      line.append(name);
      if (value.is_object()) {
        print(value, line.append("."), from, console);
      } else {
        line.append(" = ").append(dump(value)).append("  (").append(from).append(")");
        console.out(printable(line) + "\n");
      }
    }
  }

  /// First what counts first: variables, the index's file, the user's.
  void show(Console& console) const {
    std::vector<std::string> variables;
    for (const CLI::App* verb : verbs()) {
      for (const CLI::Option* option : verb->get_options()) {
        if (!option->get_envname().empty()) variables.push_back(option->get_envname());
      }
    }
    std::sort(variables.begin(), variables.end());
    variables.erase(std::unique(variables.begin(), variables.end()), variables.end());
    for (const std::string& variable : variables) {
      const char* value = std::getenv(variable.c_str());
      if (value == nullptr) continue;
      // A key is nobody's to read over a shoulder.
      const bool secret = variable.find("KEY") != std::string::npos ||
                          variable.find("PASSWORD") != std::string::npos;
      console.out(printable(setting_of(variable) + " = " + (secret ? "…" : value) + "  (" +
                            variable + ")") +
                  "\n");
    }
    if (const auto index = find_index(fs::current_path())) {
      const fs::path file = *index / "config.json";
      print(read_settings(file), "", shown(file), console);
    }
    print(read_settings(user_config()), "", user_config().string(), console);
  }

  void change(Console& console) const {
    check_key();
    const fs::path file = user_config();
    Json settings = read_settings(file);
    const auto [verb, key] = split(key_);
    Json& where = verb.empty() ? settings : settings[verb];
    if (!where.is_object()) where = Json::object();
    if (action_ == "unset") {
      where.erase(key);
      if (!verb.empty() && where.empty()) settings.erase(verb);
    } else {
      const Json parsed = Json::parse(value_, nullptr, false);
      where[key] = parsed.is_discarded() ? Json(value_) : parsed;
    }
    std::error_code failed;
    fs::create_directories(file.parent_path(), failed);
    write_file_atomically(file, settings.dump(2) + "\n");
    console.note("written to " + file.string());
  }

  /// Throws for a key that no flag has.
  void check_key() const {
    const auto [verb_name, key] = split(key_);
    std::vector<std::string> known;
    bool verb_known = verb_name.empty();
    for (const CLI::App* verb : verbs()) {
      if (!verb_name.empty() && verb->get_name() != verb_name) continue;
      verb_known = true;
      for (std::string& name : setting_names(*verb)) known.push_back(std::move(name));
    }
    if (verb_known && std::find(known.begin(), known.end(), key) != known.end()) return;
    const auto meant = nearest(key, known);
    throw Error(ErrorCode::invalid_argument,
                "no flag is named \"" + key_ + "\"" +
                    (meant ? "; did you mean \"" + *meant + "\"?" : "; see lore VERB --help"),
                key_);
  }

  std::vector<const CLI::App*> verbs() const {
    std::vector<const CLI::App*> all;
    for (const CLI::App* verb : app_->get_subcommands({})) {
      all.push_back(verb);
      for (const CLI::App* sub : verb->get_subcommands({})) all.push_back(sub);
    }
    return all;
  }

  const CLI::App* app_ = nullptr;
  std::string action_ = "show";
  std::string key_;
  std::string value_;
};

}  // namespace

std::unique_ptr<Command> make_config_command() { return std::make_unique<ConfigCommand>(); }

}  // namespace lore::cli
