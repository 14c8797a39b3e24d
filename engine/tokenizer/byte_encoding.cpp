#include "engine/tokenizer/byte_encoding.hpp"

#include <array>
#include <cstdint>

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

bool append_spelled(std::string_view spelling, std::string& bytes) {
  for (std::size_t i = 0; i < spelling.size(); ++i) {
    std::size_t c = static_cast<unsigned char>(spelling[i]);
    if (c >= 0x80) {  // of two bytes: no other ones spell a byte
      if (c < 0xC2 || c > 0xC5 || i + 1 == spelling.size()) return false;
      const std::size_t second = static_cast<unsigned char>(spelling[++i]);
      if ((second & 0xC0U) != 0x80U) return false;
      c = (c & 0x1FU) << 6U | (second & 0x3FU);
    }
    if (c >= kCharacters || kToByte[c] < 0) return false;
    bytes.push_back(static_cast<char>(kToByte[c]));
  }
  return true;
}

}  // namespace lore::engine
