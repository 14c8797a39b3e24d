// Completion scripts for shells, made from the flags themselves.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

namespace lore::cli {

/// The script that makes `shell` (bash, zsh or fish) complete verbs, flags, models and files.
/// `app`: the whole command.
std::string completion_script(const CLI::App& app, std::string_view shell);

}  // namespace lore::cli
