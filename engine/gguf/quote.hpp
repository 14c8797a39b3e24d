// What a file says, inside a message.
#pragma once

#include <string>
#include <string_view>

namespace lore::engine::gguf {

/// The text in single quotes: its first 80 characters, with a question mark for each that does not
/// print. A file can hold any bytes, and messages end up in terminals and logs.
std::string quote(std::string_view text);

}  // namespace lore::engine::gguf
