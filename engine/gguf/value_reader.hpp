// Values of GGUF keys, from bytes.
#pragma once

#include <string>

#include "engine/gguf/cursor.hpp"
#include "engine/gguf/metadata.hpp"

namespace lore::engine::gguf {

/// Reads a type number and the value of that type. `name` ("key 'general.name'") is for messages.
/// Throws Error{corrupt}: unknown type, a count that the file cannot hold, a bool that is neither 0
/// nor 1, arrays nested deeper than any real file has them.
Value read_value(Cursor& cursor, const std::string& name);

}  // namespace lore::engine::gguf
