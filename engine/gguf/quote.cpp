#include "engine/gguf/quote.hpp"

#include "base/utf8.hpp"

namespace lore::engine::gguf {
namespace {

/// Control characters, and those that hide or turn around what stands beside them.
bool prints(char32_t c) {
  const bool control = c < 0x20 || (c >= 0x7F && c < 0xA0);
  const bool invisible =
      (c >= 0x200B && c <= 0x200F) || (c >= 0x2028 && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F);
  return !control && !invisible;
}

}  // namespace

std::string quote(std::string_view text) {
  constexpr std::size_t kMostCharacters = 80;
  std::string result = "'";
  std::size_t position = 0;
  for (std::size_t n = 0; position < text.size() && n < kMostCharacters; ++n) {
    const char32_t character = utf8::next(text, position);
    utf8::append(result, prints(character) ? character : U'?');
  }
  if (position < text.size()) result += "\u2026";
  return result + "'";
}

}  // namespace lore::engine::gguf
