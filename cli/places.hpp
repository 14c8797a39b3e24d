// Where things are on this machine, as the environment says.
#pragma once

#include <filesystem>
#include <string>

namespace lore::cli {

/// $LORE_HOME/models, or below $XDG_DATA_HOME/lore, or below ~/.local/share/lore.
std::filesystem::path models_folder();
/// $LORE_CONFIG, or $XDG_CONFIG_HOME/lore/config.json, or ~/.config/lore/config.json.
std::filesystem::path user_config();

/// Relative to the working directory where it lies below it.
std::string shown(const std::filesystem::path& path);

/// The index folder that a person means: the one given (or ".lore" in it), else the nearest ".lore"
/// from the working directory upward. Throws Error{not_found} with the way out.
std::filesystem::path locate_index(const std::string& given);

}  // namespace lore::cli
