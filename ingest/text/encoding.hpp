// Bytes of a text file to valid UTF-8.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lore::ingest {

struct Decoded {
  std::string text;                   ///< valid UTF-8, lines end in \n, no U+000C and no U+0000
  std::vector<std::string> problems;  ///< what was guessed or lost, for people
};

/// Decodes by the byte order mark; else as `declared` says, a charset name as HTML gives it, or "";
/// else as UTF-8; else, where nothing in it is UTF-8 beyond ASCII, as Windows-1252, which is noted.
/// What cannot be decoded becomes U+FFFD and is counted in a problem.
Decoded decode(std::string_view bytes, std::string_view declared = {});

/// Whether `head`, the start of a file, is text in some encoding that decode() knows. Text has no
/// U+0000 and hardly any other control characters.
bool looks_like_text(std::string_view head);

}  // namespace lore::ingest
