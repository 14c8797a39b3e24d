// Where the library says things that are not results. Nothing below cli/ prints.
#pragma once

#include <functional>
#include <string_view>

namespace lore {

enum class LogLevel { debug, info, warning };

/// Receives messages; passed in by the caller. An empty one drops them. It may be called from any
/// thread, one call at a time for one operation.
using LogSink = std::function<void(LogLevel, std::string_view message)>;

}  // namespace lore
