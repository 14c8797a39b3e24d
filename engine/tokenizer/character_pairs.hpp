// Where SentencePiece's merges cannot reach: between characters that no token holds side by side.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace lore::engine {

/// The pairs of neighbours inside of a vocabulary's tokens; U+2581 counts as a space. A merge makes
/// a token of two neighbours, so that one whose last and first character are no such pair never
/// happens, and a text can be cut there. Exact for pairs of ASCII characters; of other pairs it may
/// hold more than were added, which costs a cut.
///
/// Thread safety: immutable once filled; any thread may call the const functions.
class CharacterPairs {
 public:
  /// For a vocabulary of so many tokens; takes half a byte of memory for each.
  explicit CharacterPairs(std::size_t tokens);
  void add(std::string_view token);
  /// Where the stretch ends that starts at `begin` of a text (below its size): at the first place
  /// that no merge crosses, or at the end of the text. `prefix`: a space stands before `begin`,
  /// which is the end of the stretch then where no merge joins the two.
  std::size_t stretch_end(std::string_view text, std::size_t begin, bool prefix) const noexcept;

 private:
  bool contains(char32_t left, char32_t right) const noexcept {
    if (left < 0x80 && right < 0x80) return contains_ascii(left, right);
    const std::size_t bit = bit_of(left, right);
    return (others_[bit / 64] >> (bit % 64) & 1U) != 0;
  }
  bool contains_ascii(std::size_t left, std::size_t right) const noexcept {
    return (ascii_[left][right / 64] >> (right % 64) & 1U) != 0;
  }
  std::size_t bit_of(char32_t left, char32_t right) const noexcept;

  std::array<std::array<std::uint64_t, 2>, 128> ascii_{};  // a bit a right character
  std::vector<std::uint64_t> others_;  // a bit a hash of a pair; a power of two of them
};

}  // namespace lore::engine
