// Byte-level byte pair encoding: GPT-2's tokenizer and its many heirs.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "engine/tokenizer/merge.hpp"
#include "engine/tokenizer/pre_tokenizers.hpp"
#include "engine/tokenizer/string_table.hpp"
#include "engine/tokenizer/vocabulary_tokenizer.hpp"

namespace lore::engine {

/// Which pairs of symbols merge, and into what. Thread safety: immutable once filled.
class MergeTable {
 public:
  void reserve(std::size_t count);
  /// The first merge of a pair counts. Throws CrowdedTable.
  void add(TokenId left, TokenId right, Merge merge);
  Merge find(TokenId left, TokenId right) const noexcept;

 private:
  struct Slot {
    TokenId left = -1;
    TokenId right = -1;
    Merge merge;
  };
  /// The pair's slot or the empty one where it belongs; null where neither is near.
  const Slot* slot_of(TokenId left, TokenId right) const noexcept;

  std::vector<Slot> slots_;  // a power of two of them, at most two thirds full
};

/// Words of the pre-tokenizer, as bytes, merged pair by pair in the order in which the merges were
/// learned. Every text has a tokenization; bytes that are no UTF-8 are tokens of their own. Source:
/// Sennrich et al. (arXiv:1508.07909), GPT-2; ids as llama.cpp gives them.
///
/// Thread safety: as Tokenizer.
class BytePairTokenizer final : public VocabularyTokenizer {
 public:
  /// Throws Error{corrupt} for missing or senseless merges, Error{unsupported} for a pre-tokenizer
  /// that is not known.
  explicit BytePairTokenizer(const gguf::Metadata& metadata);

 protected:
  void encode_fragment(std::string_view text, const Fragment& fragment, bool after_token,
                       TokenSink& out) const override;
  std::string normal_piece(TokenId id) const override;

 private:
  enum class WholeWord : std::uint8_t { not_known, yes, no };

  void read_bytes();
  void read_merges(const gguf::Metadata& metadata);
  TokenId symbol_of(std::string_view bytes, TokenId guess = -1);
  void encode_word(std::string_view word, std::size_t offset, MergeScratch& scratch,
                   std::vector<Symbol>& symbols, TokenSink& out) const;
  void merge_word(std::string_view word, MergeScratch& scratch, std::vector<Symbol>& symbols) const;
  bool merges_to_itself(TokenId id, std::string_view word, MergeScratch& scratch,
                        std::vector<Symbol>& symbols) const;
  void append_symbol(const Symbol& symbol, std::string_view word, std::size_t offset,
                     TokenSink& out) const;

  PreTokenizer pre_tokenizer_;
  /// The bytes of each token, "" for what no text gives; after the last token, those that merges go
  /// through but that are no tokens themselves.
  StringTable bytes_;
  MergeTable merges_;
  bool all_differ_ = true;  // the bytes of tokens, where there are any
  std::array<TokenId, 256> byte_symbols_{};
  /// Whether the merges lead from a token's bytes to that token, found out when it first comes up.
  /// The answer is always the same, so it does not matter which thread writes it.
  std::unique_ptr<std::atomic<WholeWord>[]> whole_words_;
};

}  // namespace lore::engine
