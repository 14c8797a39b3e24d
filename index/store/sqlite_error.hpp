// From SQLite's result codes to lore's errors.
#pragma once

#include <filesystem>

#include "lore/error.hpp"

struct sqlite3;

namespace lore::index {

/// The Error for an (extended) result code of a call on `handle` (may be null). One sentence that
/// names the file and the way out.
Error sqlite_error(int code, sqlite3* handle, const std::filesystem::path& path);

}  // namespace lore::index
