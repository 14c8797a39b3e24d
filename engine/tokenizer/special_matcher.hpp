// Finds the tokens of a text that are taken whole, before any algorithm cuts it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/tokenizer/vocabulary.hpp"

namespace lore::engine {

/// A stretch of a text: a token that it spells, or text (`token` is kText) for the algorithm.
struct Fragment {
  static constexpr TokenId kText = -1;
  std::size_t begin;
  std::size_t end;
  TokenId token;
};

/// Splits texts at special and user-defined tokens: the longest token first, wherever it stands,
/// then the next shorter one in what is left, as llama.cpp does.
///
/// Thread safety: immutable; any thread may call.
class SpecialMatcher {
 public:
  explicit SpecialMatcher(const Vocabulary& vocabulary);

  /// Fragments that cover the text, in order. User-defined tokens are always matched, special ones
  /// only where `parse_special`.
  std::vector<Fragment> split(std::string_view text, bool parse_special) const;

 private:
  /// A node of a trie over the bytes of all tokens; children are a linked list.
  struct Node {
    std::uint8_t byte = 0;
    bool special = false;  // the token that ends here is matched with parse_special only
    TokenId token = Fragment::kText;
    std::uint32_t child = 0;  // 0: none, for the root is nobody's child
    std::uint32_t sibling = 0;
  };
  struct Match {
    std::uint32_t length = 0;
    TokenId token = Fragment::kText;
  };

  void add(std::string_view text, TokenId token, bool special);
  std::uint32_t child_of(std::uint32_t node, std::uint8_t byte) const noexcept;
  Match longest_match(std::string_view text, bool parse_special) const noexcept;

  std::vector<Node> nodes_;
  std::array<std::uint8_t, 256> first_bytes_{};  // 1: starts a user-defined token, 2: a special one
  std::uint8_t all_first_bytes_ = 0;             // of all of them together
};

}  // namespace lore::engine
