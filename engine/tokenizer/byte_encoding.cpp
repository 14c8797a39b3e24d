#include "engine/tokenizer/byte_encoding.hpp"

#include <array>
#include <cstdint>

#include "base/utf8.hpp"

namespace lore::engine {
namespace {

constexpr bool prints(unsigned byte) noexcept {
  return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) ||
         (byte >= 0xAE && byte <= 0xFF);
}

constexpr std::size_t kCharacters = 0x100 + 68;  // 68 bytes do not print

constexpr auto kToCharacter = [] {
  std::array<char32_t, 256> table{};
  char32_t next = 0x100;
  for (unsigned byte = 0; byte < 256; ++byte) table[byte] = prints(byte) ? byte : next++;
  return table;
}();

constexpr auto kToByte = [] {
  std::array<std::int16_t, kCharacters> table{};
  for (auto& entry : table) entry = -1;
  for (unsigned byte = 0; byte < 256; ++byte) {
    table[kToCharacter[byte]] = static_cast<std::int16_t>(byte);
  }
  return table;
}();

}  // namespace

char32_t byte_to_character(unsigned char byte) noexcept { return kToCharacter[byte]; }

std::optional<std::string> decode_spelling(std::string_view spelling) {
  std::string bytes;
  for (std::size_t offset = 0; offset < spelling.size();) {
    const char32_t c = utf8::next(spelling, offset);
    if (c >= kCharacters || kToByte[c] < 0) return std::nullopt;
    bytes.push_back(static_cast<char>(kToByte[c]));
  }
  return bytes;
}

}  // namespace lore::engine
