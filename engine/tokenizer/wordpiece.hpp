// WordPiece: BERT's tokenizer.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "engine/tokenizer/normalize.hpp"
#include "engine/tokenizer/string_table.hpp"
#include "engine/tokenizer/vocabulary_tokenizer.hpp"

namespace lore::engine {

/// Normalized words, each cut into the longest pieces of the vocabulary from the left; a word that
/// cannot be cut so, or is over 100 characters long, is one unknown token. Source: BERT
/// (arXiv:1810.04805) and Hugging Face tokenizers, whose ids it gives; special-token text is plain
/// text unless special tokens are parsed.
///
/// In GGUF the pieces that start a word carry U+2581 in front, those that go on one carry nothing.
///
/// Thread safety: as Tokenizer.
class WordPieceTokenizer final : public VocabularyTokenizer {
 public:
  /// Throws Error{corrupt} where the vocabulary has no word starts or names no unknown token.
  explicit WordPieceTokenizer(const gguf::Metadata& metadata);

 protected:
  void encode_fragment(std::string_view text, const Fragment& fragment, bool after_token,
                       TokenSink& out) const override;
  std::string normal_piece(TokenId id) const override;
  bool strips_leading_space() const override { return true; }

 private:
  /// Pieces of one kind, found by their text without the first `skipped` bytes.
  struct Pieces {
    StringIndex index;
    std::size_t skipped;
  };
  void read_pieces();
  std::string_view text_of(const Pieces& pieces, TokenId id) const {
    return vocabulary().text(id).substr(pieces.skipped);
  }
  TokenId find_piece(const Pieces& pieces, std::string_view text) const {
    return pieces.index.find(text, [&](TokenId id) { return text_of(pieces, id); });
  }
  void encode_word(const BertWord& word, std::size_t base, TokenSink& out) const;

  Pieces starts_;
  Pieces continuations_;
  std::array<TokenId, 128> punctuation_{};  // the tokens of the words that these characters are
  BertNormalizerOptions options_;
};

}  // namespace lore::engine
