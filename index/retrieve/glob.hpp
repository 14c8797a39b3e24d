// Globs over stored paths.
#pragma once

#include <string_view>

namespace lore::index {

/// As lore::Glob has it, over paths that may be absolute: a pattern that starts with '/' fits only
/// those. Every pattern that fits a folder takes all below it.
bool glob_matches(std::string_view pattern, std::string_view path);

}  // namespace lore::index
