// Shows a file in the program that the desktop has for it.
#pragma once

#include <cstddef>
#include <filesystem>

namespace lore::cli {

/// At a page, for the viewers that take one (evince, okular, atril, zathura); 0 for none. Without
/// one of them, xdg-open. Throws Error{not_found} where the file or any program to show it is
/// missing.
void open_file(const std::filesystem::path& file, std::size_t page);

}  // namespace lore::cli
