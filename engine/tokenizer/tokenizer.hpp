// Text to token ids and back, as the model's own vocabulary says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/gguf/metadata.hpp"
#include "engine/tensor/token_id.hpp"

namespace lore::engine {

struct EncodeOptions {
  /// Add what the model adds around a text: [CLS] … [SEP], BOS, EOS, as the file says (and never a
  /// BOS before a text that already starts with it when special tokens are parsed).
  bool add_special = true;
  /// Take the text of special tokens inside the input as those tokens; else it is plain text.
  bool parse_special = false;
};

/// Ids and where each comes from. `spans` are byte offsets [start, end) of the given text; an
/// added special token has an empty span at the place where it was put.
struct Encoding {
  struct Span {
    std::size_t start;
    std::size_t end;
  };
  std::vector<TokenId> ids;
  std::vector<Span> spans;  // one an id
};

/// A vocabulary and its algorithm: WordPiece (BERT), byte-level BPE (GPT-2 and its heirs) or
/// SentencePiece BPE (Llama). Invalid UTF-8 in a text is read as U+FFFD where the algorithm works
/// on characters and byte by byte where it works on bytes.
///
/// Thread safety: immutable; any thread may call.
class Tokenizer {
 public:
  virtual ~Tokenizer() = default;

  /// Builds the tokenizer that `tokenizer.ggml.*` describes. Throws Error{corrupt} for missing or
  /// contradictory keys, Error{unsupported} for an unknown model or pre-tokenizer.
  static std::unique_ptr<const Tokenizer> from_metadata(const gguf::Metadata& metadata);

  virtual Encoding encode(std::string_view text, const EncodeOptions& options) const = 0;
  /// The ids alone, of a text as `options` say: faster than encode().
  std::vector<TokenId> ids(std::string_view text, const EncodeOptions& options = {}) const {
    return encode_ids(text, options);
  }
  /// How many tokens the text has; what the chunker calls.
  std::size_t count(std::string_view text, const EncodeOptions& options) const {
    return encode_ids(text, options).size();
  }

  virtual std::size_t size() const = 0;  ///< number of tokens in the vocabulary
  /// The vocabulary's own spelling ("##ing", "Ġthe", "▁the", "<0x0A>").
  virtual std::string_view token(TokenId id) const = 0;
  /// The bytes that a token adds to a text; may be part of a UTF-8 sequence. Control tokens give
  /// "" unless `special`.
  virtual std::string piece(TokenId id, bool special = false) const = 0;
  /// The text of a sequence (without a SentencePiece model's leading space).
  virtual std::string decode(const std::vector<TokenId>& ids, bool special = false) const = 0;

  virtual std::optional<TokenId> bos() const = 0;
  virtual std::optional<TokenId> eos() const = 0;
  /// Whether this token ends a generation: the file's eos and eot, and the tokens known to do so by
  /// their spelling (<|im_end|>, <|endoftext|>, </s>, <end_of_turn>, …).
  virtual bool is_end_of_generation(TokenId id) const = 0;
  virtual bool is_control(TokenId id) const = 0;
  /// The id of exactly this spelling. Reads through the vocabulary: not for many calls.
  virtual std::optional<TokenId> find(std::string_view token) const = 0;

 protected:
  /// What ids() gives: those of encode(), which a tokenizer may find faster without spans.
  virtual std::vector<TokenId> encode_ids(std::string_view text,
                                          const EncodeOptions& options) const {
    return encode(text, options).ids;
  }
};

}  // namespace lore::engine
