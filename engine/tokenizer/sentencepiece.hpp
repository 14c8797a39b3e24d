// SentencePiece byte pair encoding: the tokenizer of Llama 1 and 2, Mistral, Gemma.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/tokenizer/character_pairs.hpp"
#include "engine/tokenizer/merge.hpp"
#include "engine/tokenizer/string_table.hpp"
#include "engine/tokenizer/vocabulary_tokenizer.hpp"

namespace lore::engine {

/// Spaces become U+2581; then the pair of neighbours merges whose union is the token of the highest
/// score, until none is one; characters that are no token become their bytes. Source: Kudo and
/// Richardson (arXiv:1808.06226); ids as llama.cpp gives them.
///
/// Thread safety: as Tokenizer.
class SentencePieceTokenizer final : public VocabularyTokenizer {
 public:
  /// Throws Error{corrupt} where the vocabulary has no scores.
  explicit SentencePieceTokenizer(const gguf::Metadata& metadata);

 protected:
  void encode_fragment(std::string_view text, const Fragment& fragment, bool after_token,
                       TokenSink& out) const override;
  std::string normal_piece(TokenId id) const override;
  bool strips_leading_space() const override { return add_space_prefix_; }

 private:
  enum class WholeWord : std::uint8_t { not_known, yes, no };
  struct Word;

  void read_pieces();
  /// Makes a word of its source.
  static void fill(Word& word, std::string_view source, bool prefix);
  /// Notes where its bytes come from; `begin`: where the source starts in the text.
  static void fill_places(Word& word, std::string_view source, std::size_t begin, bool prefix);
  void encode_word(Word& word, TokenSink& out) const;
  void merge_word(Word& word) const;
  bool merges_to_itself(TokenId id, Word& word) const;
  void append_bytes(const Word& word, const Symbol& symbol, TokenSink& out) const;
  std::string_view text_of(TokenId id) const { return vocabulary().text(id); }
  TokenId find_piece(std::string_view text) const {
    return pieces_.find(text, [this](TokenId id) { return text_of(id); });
  }

  bool add_space_prefix_;
  StringIndex pieces_;                       // the tokens that merging may give, by their text
  std::vector<std::uint32_t> priorities_;    // of each token: lower merges first
  std::array<TokenId, 256> byte_tokens_;     // -1 where the vocabulary has none
  std::array<TokenId, 128> ascii_pieces_{};  // of the pieces of one ASCII character; likewise
  CharacterPairs pairs_;
  std::unique_ptr<std::atomic<WholeWord>[]> whole_words_;  // as BytePairTokenizer's
};

}  // namespace lore::engine
