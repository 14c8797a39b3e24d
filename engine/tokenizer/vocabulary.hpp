// The vocabulary of a model file: spellings, kinds and scores of tokens, and the special ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/gguf/metadata.hpp"
#include "engine/tokenizer/string_table.hpp"
#include "engine/tokenizer/tokenizer.hpp"

namespace lore::engine {

/// Kinds of tokens, with the numbers of `tokenizer.ggml.token_type`.
enum class TokenKind : std::uint8_t {
  undefined = 0,
  normal = 1,
  unknown = 2,
  control = 3,
  user_defined = 4,
  unused = 5,
  byte = 6,
};

/// What an algorithm assumes where the file is silent.
struct VocabularyDefaults {
  std::optional<TokenId> bos;
  std::optional<TokenId> eos;
  std::optional<TokenId> unknown;
  bool add_bos = false;
  bool add_eos = false;
};

/// Thread safety: immutable; any thread may read.
class Vocabulary {
 public:
  /// Reads `tokenizer.ggml.*`. Throws Error{corrupt} that names the key: no tokens, arrays of
  /// different length, an added token without an id.
  Vocabulary(const gguf::Metadata& metadata, const VocabularyDefaults& defaults);

  std::size_t size() const noexcept { return texts_.size(); }
  bool contains(TokenId id) const noexcept {
    return id >= 0 && static_cast<std::size_t>(id) < size();
  }
  std::string_view text(TokenId id) const noexcept { return texts_[static_cast<std::size_t>(id)]; }
  /// The first token of this spelling. Reads through all of them.
  std::optional<TokenId> find(std::string_view text) const noexcept;
  TokenKind kind(TokenId id) const noexcept { return kinds_[static_cast<std::size_t>(id)]; }
  /// 0 where the file has no scores.
  float score(TokenId id) const noexcept {
    return scores_.empty() ? 0.0F : scores_[static_cast<std::size_t>(id)];
  }

  std::optional<TokenId> bos() const noexcept { return bos_; }
  std::optional<TokenId> eos() const noexcept { return eos_; }
  std::optional<TokenId> unknown() const noexcept { return unknown_; }
  bool add_bos() const noexcept { return add_bos_; }
  bool add_eos() const noexcept { return add_eos_; }

  /// Whether text that spells this token is the token only when special tokens are parsed: control
  /// and unknown tokens, and those that a chat model is known to use so whatever their kind.
  bool is_special(TokenId id) const noexcept { return flags_[static_cast<std::size_t>(id)] != 0; }
  bool is_end_of_generation(TokenId id) const noexcept {
    return contains(id) && (flags_[static_cast<std::size_t>(id)] & kEndsGeneration) != 0;
  }

 private:
  static constexpr std::uint8_t kSpecial = 1;
  static constexpr std::uint8_t kEndsGeneration = 2;

  void read_tokens(const gguf::Metadata& metadata);
  void read_kinds_and_scores(const gguf::Metadata& metadata);
  void read_special(const gguf::Metadata& metadata, const VocabularyDefaults& defaults);
  void mark_known_spellings();
  void mark_special(const gguf::Metadata& metadata);
  std::optional<TokenId> special_id(const gguf::Metadata& metadata, std::string_view key) const;
  void mark(std::optional<TokenId> id, std::uint8_t flags) noexcept;

  StringTable texts_;
  std::vector<TokenKind> kinds_;
  std::vector<float> scores_;  // [size] or empty
  std::vector<std::uint8_t> flags_;
  std::optional<TokenId> bos_;
  std::optional<TokenId> eos_;
  std::optional<TokenId> unknown_;
  bool add_bos_ = false;
  bool add_eos_ = false;
};

}  // namespace lore::engine
