// Finds the tokens of a text that are taken whole, before any algorithm cuts it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
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

  /// A token that could be taken at a place. Longer ones come first, then lower ids, then earlier
  /// places.
  struct Candidate {
    std::size_t begin;
    std::uint32_t length;
    TokenId token;

    std::size_t end() const noexcept { return begin + length; }
    bool operator<(const Candidate& other) const noexcept {  // a queue's top is the greatest
      if (length != other.length) return length < other.length;
      if (token != other.token) return token > other.token;
      return begin > other.begin;
    }
  };

  void add(std::string_view text, TokenId token, bool special);
  std::uint32_t child_of(std::uint32_t node, std::uint8_t byte) const noexcept;
  Match longest_match(std::string_view text, bool parse_special) const noexcept;

  /// The next place from `at` on where a token may start, or the end of the text.
  std::size_t next_start(std::string_view text, std::size_t at, bool parse_special) const noexcept;
  std::vector<Candidate> candidates(std::string_view text, bool parse_special) const;
  void choose(std::string_view text, bool parse_special, std::span<const Candidate> cluster,
              std::vector<Fragment>& tokens) const;

  std::vector<Node> nodes_;
  /// The first bytes of user-defined tokens, and of these and special ones.
  std::array<std::string, 2> first_bytes_;
  std::array<std::array<bool, 256>, 2> starts_{};  // the same as tables
};

}  // namespace lore::engine
