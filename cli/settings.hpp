// config.json: values of flags that were given neither on the command line nor by a variable.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/json_fields.hpp"

namespace lore::cli {

/// What a file of settings holds; a file that does not exist is empty. Throws Error{corrupt} for
/// what is no JSON object.
Json read_settings(const std::filesystem::path& file);

/// Fills the flags of `verb` that have no value yet from the files, in their order (the first that
/// has a value counts). A file is an object: {"threads": 2, "ask": {"k": 8}}; what stands under a
/// verb's name counts for that verb alone and before the rest. A file that does not exist is empty.
/// Throws Error{corrupt} for what is no JSON object, Error{invalid_argument} that names file and
/// key for a value that does not fit, and for a key that no verb knows. `only`: this key alone
/// counts; empty: all do.
void apply_settings(CLI::App& verb, const std::string& verb_name,
                    const std::vector<std::filesystem::path>& files,
                    const std::vector<std::string>& known_keys, const std::string& only = {});

/// The keys of all flags of a verb, those that negate others included.
std::vector<std::string> setting_names(const CLI::App& verb);

}  // namespace lore::cli
