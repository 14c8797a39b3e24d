// Globs over stored paths.
#pragma once

#include <string_view>

namespace lore::index {

/// `*` stands for any characters but '/', `**` for any, `?` for one but '/', `[a-c]`, `[!a-c]` for
/// one of a set; `\` takes the next literally. A pattern without '/' (but at its end) may begin at
/// any folder; every pattern that matches a folder takes all below it. Time is at most
/// pattern × path.
bool glob_matches(std::string_view pattern, std::string_view path);

}  // namespace lore::index
