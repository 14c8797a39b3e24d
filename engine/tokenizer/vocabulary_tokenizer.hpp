// What all tokenizers share: the vocabulary, special tokens, and the way from text to fragments.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/tokenizer/special_matcher.hpp"
#include "engine/tokenizer/tokenizer.hpp"
#include "engine/tokenizer/vocabulary.hpp"
#include "engine/tokenizer/word_cache.hpp"

namespace lore::engine {

/// Takes the tokens of a text in order: ids and, where they are wanted, spans.
struct TokenSink {
  Encoding encoding;
  bool with_spans;

  void add(TokenId id, std::size_t begin, std::size_t end) {
    encoding.ids.push_back(id);
    if (with_spans) encoding.spans.push_back({begin, end});
  }
  std::size_t size() const noexcept { return encoding.ids.size(); }
  /// Takes back all after the first `size` tokens.
  void cut(std::size_t size) {
    encoding.ids.resize(size);
    if (with_spans) encoding.spans.resize(size);
  }
};

/// A tokenizer over a vocabulary of a model file. Algorithms override encode_fragment and
/// normal_piece.
class VocabularyTokenizer : public Tokenizer {
 public:
  Encoding encode(std::string_view text, const EncodeOptions& options) const final {
    return run(text, options, true);
  }
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
                               TokenSink& out) const = 0;
  /// The bytes of a token that is not special, unknown or user-defined.
  virtual std::string normal_piece(TokenId id) const = 0;
  /// Whether a decoded text loses the space that the model put before its first word.
  virtual bool strips_leading_space() const { return false; }

  std::vector<TokenId> encode_ids(std::string_view text, const EncodeOptions& options) const final {
    return run(text, options, false).ids;
  }
  const Vocabulary& vocabulary() const noexcept { return vocabulary_; }

  /// Appends the tokens of the word text[begin, end), which depend on nothing but its bytes: those
  /// remembered, or those that `encode_word()` appends.
  template <typename EncodeWord>
  void encode_cached(std::string_view text, std::size_t begin, std::size_t end, TokenSink& out,
                     const EncodeWord& encode_word) const {
    // The memory holds no spans; and without it, encode() is what the tests check ids() against.
    if (end - begin > WordCache::kMostBytes || out.with_spans) return encode_word();
    const WordCache::Key key = WordCache::key_of(text, begin, end - begin);
    if (cache_.find(key, out.encoding.ids)) return;
    const std::size_t before = out.size();
    encode_word();
    cache_.put(key, std::span(out.encoding.ids).subspan(before));
  }

 private:
  Encoding run(std::string_view text, const EncodeOptions& options, bool with_spans) const;

  Vocabulary vocabulary_;
  SpecialMatcher matcher_;
  mutable WordCache cache_;
};

}  // namespace lore::engine
