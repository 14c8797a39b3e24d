#include "engine/tokenizer/character_pairs.hpp"

#include <algorithm>
#include <bit>

#include "base/utf8.hpp"
#include "engine/tokenizer/text_hash.hpp"

namespace lore::engine {
namespace {

constexpr char32_t kSpace = 0x2581;

/// As utf8::next, quick for ASCII; U+2581 is a space.
char32_t next(std::string_view text, std::size_t& at) noexcept {
  const auto byte = static_cast<unsigned char>(text[at]);
  if (byte < 0x80) {
    ++at;
    return byte;
  }
  const char32_t c = utf8::next(text, at);
  return c == kSpace ? U' ' : c;
}

}  // namespace

CharacterPairs::CharacterPairs(std::size_t tokens)
    : others_(std::bit_ceil(std::max<std::size_t>(4 * tokens, 64)) / 64) {}

std::size_t CharacterPairs::bit_of(char32_t left, char32_t right) const noexcept {
  const std::uint64_t key = static_cast<std::uint64_t>(left) << 32U | right;
  return (key * kHashMultiplier >> 32U) % (others_.size() * 64);
}

void CharacterPairs::add(std::string_view token) {
  if (token.empty()) return;
  std::size_t at = 0;
  for (char32_t left = next(token, at); at < token.size();) {
    const char32_t right = next(token, at);
    if (left < 0x80 && right < 0x80) {
      ascii_[left][right / 64] |= std::uint64_t{1} << (right % 64);
    } else {
      const std::size_t bit = bit_of(left, right);
      others_[bit / 64] |= std::uint64_t{1} << (bit % 64);
    }
    left = right;
  }
}

std::size_t CharacterPairs::stretch_end(std::string_view text, std::size_t begin,
                                        bool prefix) const noexcept {
  std::size_t at = begin;
  char32_t left = prefix ? U' ' : next(text, at);
  while (at < text.size()) {
    const std::size_t place = at;
    const char32_t right = next(text, at);
    if (!contains(left, right)) return place;
    left = right;
  }
  return text.size();
}

}  // namespace lore::engine
