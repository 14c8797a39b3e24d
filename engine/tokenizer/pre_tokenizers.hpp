// Cutting a text into words before byte pair encoding, by the patterns that models were trained
// with.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "base/function_ref.hpp"

namespace lore::engine {

/// Receives the stretches [begin, end) of a text, in order and without gaps.
using WordSink = FunctionRef<void(std::size_t begin, std::size_t end)>;

/// Cuts text[begin, end) as one regular expression does whose matches, and what lies between them,
/// are words. Nothing outside of the stretch is seen.
using SplitStage = void (*)(std::string_view text, std::size_t begin, std::size_t end,
                            WordSink sink);

/// A pre-tokenizer: stages that each cut what the one before gave. Thread safety: immutable.
class PreTokenizer {
 public:
  /// By the name in `tokenizer.ggml.pre`, or nothing where the name is not known.
  static std::optional<PreTokenizer> find(std::string_view name);

  void split(std::string_view text, std::size_t begin, std::size_t end, WordSink sink) const;

  /// A word that is in the vocabulary is one token, whatever the merges would make of it.
  bool whole_words_first() const noexcept { return whole_words_first_; }
  /// BOS is put before a text where the file does not say.
  bool adds_bos() const noexcept { return adds_bos_; }

 private:
  PreTokenizer(std::span<const SplitStage> stages, bool whole_words_first, bool adds_bos)
      : stages_(stages), whole_words_first_(whole_words_first), adds_bos_(adds_bos) {}

  std::span<const SplitStage> stages_;
  bool whole_words_first_;
  bool adds_bos_;
};

/// The stages, for tests: each named after the pattern's first user.
namespace split {

/// 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
void gpt2(std::string_view text, std::size_t begin, std::size_t end, WordSink sink);
/// (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|
/// \s*[\r\n]+|\s+(?!\S)|\s+
void llama3(std::string_view text, std::size_t begin, std::size_t end, WordSink sink);
/// The same with \p{N} in place of \p{N}{1,3}.
void qwen2(std::string_view text, std::size_t begin, std::size_t end, WordSink sink);

}  // namespace split

}  // namespace lore::engine
