// What all tokenizers share: the vocabulary, special tokens, and the way from text to fragments.
#pragma once

#include "engine/tokenizer/special_matcher.hpp"
#include "engine/tokenizer/tokenizer.hpp"
#include "engine/tokenizer/vocabulary.hpp"

namespace lore::engine {

/// A tokenizer over a vocabulary of a model file. Algorithms override encode_fragment and
/// normal_piece.
class VocabularyTokenizer : public Tokenizer {
 public:
  Encoding encode(std::string_view text, const EncodeOptions& options) const final;
  std::size_t size() const final { return vocabulary_.size(); }
  std::string_view token(TokenId id) const final;
  std::string piece(TokenId id, bool special) const final;
  std::string decode(const std::vector<TokenId>& ids, bool special) const final;
  std::optional<TokenId> bos() const final { return vocabulary_.bos(); }
  std::optional<TokenId> eos() const final { return vocabulary_.eos(); }
  bool is_end_of_generation(TokenId id) const final { return vocabulary_.is_end_of_generation(id); }
  bool is_control(TokenId id) const final;
  std::optional<TokenId> find(std::string_view text) const final { return vocabulary_.find(text); }

 protected:
  VocabularyTokenizer(const gguf::Metadata& metadata, const VocabularyDefaults& defaults);

  /// Appends the tokens of text[fragment.begin, fragment.end) with spans in `text`. `after_token`:
  /// the fragment starts the text or follows a token that was taken whole.
  virtual void encode_fragment(std::string_view text, const Fragment& fragment, bool after_token,
                               Encoding& out) const = 0;
  /// The bytes of a token that is not special, unknown or user-defined.
  virtual std::string normal_piece(TokenId id) const = 0;
  /// Whether a decoded text loses the space that the model put before its first word.
  virtual bool strips_leading_space() const { return false; }

  const Vocabulary& vocabulary() const noexcept { return vocabulary_; }
  static void append(Encoding& out, TokenId id, std::size_t begin, std::size_t end) {
    out.ids.push_back(id);
    out.spans.push_back({begin, end});
  }

 private:
  Vocabulary vocabulary_;
  SpecialMatcher matcher_;
};

}  // namespace lore::engine
