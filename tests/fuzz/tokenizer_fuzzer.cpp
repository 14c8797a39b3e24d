// Any text through each algorithm over a small vocabulary: spans stay inside of the text, and where
// the algorithm loses nothing the text comes back.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "tests/engine/tokenizer/synthetic.hpp"

namespace {

using lore::engine::Encoding;
using lore::engine::Tokenizer;
using lore::test::Piece;

void require(bool condition) {
  if (!condition) std::abort();
}

void check(const Tokenizer& tokenizer, std::string_view text, bool lossless) {
  for (const bool parse : {false, true}) {
    const Encoding encoding = tokenizer.encode(text, {.add_special = true, .parse_special = parse});
    require(encoding.ids.size() == encoding.spans.size());
    // With the memory of words, which encode() does without.
    require(tokenizer.ids(text, {.add_special = true, .parse_special = parse}) == encoding.ids);
    std::size_t at = 0;
    for (const auto& span : encoding.spans) {
      require(at <= span.start && span.start <= span.end && span.end <= text.size());
      at = span.start;
    }
    const std::string decoded = tokenizer.decode(encoding.ids);
    if (lossless && !parse) require(decoded == text);
  }
}

lore::engine::gguf::Metadata wordpiece() {
  lore::engine::gguf::Metadata metadata("fuzz");
  metadata.set("tokenizer.ggml.model", std::string("bert"));
  metadata.set("tokenizer.ggml.tokens",
               lore::engine::gguf::Array{std::vector<std::string>{
                   "[UNK]", "[CLS]", "[SEP]", "\u2581a", "\u2581ab", "b", "bc", "\u2581!"}});
  metadata.set("tokenizer.ggml.token_type",
               lore::engine::gguf::Array{std::vector<std::int64_t>{3, 3, 3, 1, 1, 1, 1, 1}});
  return metadata;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto kWordPiece = Tokenizer::from_metadata(wordpiece());
  static const auto kSentencePiece =
      Tokenizer::from_metadata(lore::test::sentencepiece_metadata({{"\u2581", -1},
                                                                   {"a", -2},
                                                                   {"\u2581a", -3},
                                                                   {"ab", -4},
                                                                   {"a\u2581", -5},
                                                                   {"\n\n", 0, 4},
                                                                   {"\u2581\u2581", -6}}));
  static const auto kGpt2 = Tokenizer::from_metadata(
      lore::test::byte_pair_metadata({"a b", "Ġ a", "Ġ Ġ", "ab ab"}, {"<|x|>"}));
  static const auto kQwen2 = Tokenizer::from_metadata(
      lore::test::byte_pair_metadata({"a b", "Ġ a", "Ġ Ġ", "ab ab"}, {"<|x|>"}, "qwen2"));
  static const auto kDefault = Tokenizer::from_metadata(
      lore::test::byte_pair_metadata({"a b", "Ġ a", "1 1"}, {"<|x|>"}, "default"));
  static const auto kDeepSeek = Tokenizer::from_metadata(
      lore::test::byte_pair_metadata({"a b", "Ġ a", "1 1"}, {"<|x|>"}, "deepseek-llm"));
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check(*kWordPiece, text, false);
  // U+2581 itself comes back as a space, and a space is put after a token that was taken whole.
  check(
      *kSentencePiece, text,
      text.find("\u2581") == std::string_view::npos && text.find("\n\n") == std::string_view::npos);
  for (const auto* tokenizer : {&kGpt2, &kQwen2, &kDefault, &kDeepSeek}) {
    check(**tokenizer, text, true);
  }
  return 0;
}
