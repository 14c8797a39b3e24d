// Declaring flags: each has a variable and a name in config.json.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lore/options.hpp"

namespace lore::cli {

/// "--chunk-tokens" → "LORE_CHUNK_TOKENS".
std::string variable_of(const std::string& long_name);
/// "LORE_CHUNK_TOKENS" → "chunk-tokens", its name in config.json.
std::string setting_of(const std::string& variable);

/// Gives an option its variable: that of its long name, or `variable`.
CLI::Option* with_variable(CLI::Option* option, std::string variable = {});

template <typename T>
CLI::Option* add_value(CLI::App& verb, const std::string& names, T& value, const std::string& help,
                       const std::string& type, std::string variable = {}) {
  return with_variable(verb.add_option(names, value, help)->type_name(type), std::move(variable));
}

/// A flag that may stand several times, one value each.
inline CLI::Option* add_list(CLI::App& verb, const std::string& names,
                             std::vector<std::string>& values, const std::string& help,
                             const std::string& type) {
  return add_value(verb, names, values, help, type)->allow_extra_args(false);
}

inline CLI::Option* add_switch(CLI::App& verb, const std::string& names, bool& value,
                               const std::string& help) {
  return with_variable(verb.add_flag(names, value, help));
}

/// Flags of every verb.
struct CommonFlags {
  unsigned threads = 0;
  std::string kernels = "auto";
  bool quiet = false;
  bool verbose = false;
  bool no_color = false;
  bool no_progress = false;
  bool screen_reader = false;

  void declare(CLI::App& verb);
};

/// Flags of the verbs that read an index.
struct IndexFlags {
  std::string index;
  std::optional<std::string> embed_model;

  void declare(CLI::App& verb);
};

struct SamplingFlags {
  Sampling values;

  void declare(CLI::App& verb);
};

/// Flags that shape an answer, of `ask` and `batch`.
struct AnswerFlags {
  AskOptions values;
  bool no_generate = false;

  void declare(CLI::App& verb);
  AskOptions options() const;

 private:
  SamplingFlags sampling_;
};

/// "Give the result as JSON".
void declare_json(CLI::App& verb, bool& json);

/// Words given as several arguments are one text.
std::string joined(const std::vector<std::string>& words);

}  // namespace lore::cli
