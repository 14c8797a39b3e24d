#include "engine/tokenizer/tokenizer.hpp"

#include "engine/gguf/quote.hpp"
#include "engine/tokenizer/byte_pair.hpp"
#include "engine/tokenizer/sentencepiece.hpp"
#include "engine/tokenizer/string_table.hpp"
#include "engine/tokenizer/wordpiece.hpp"
#include "lore/error.hpp"

namespace lore::engine {

namespace {

std::unique_ptr<const Tokenizer> make_tokenizer(const gguf::Metadata& metadata) {
  constexpr std::string_view kModel = "tokenizer.ggml.model";
  const std::string model = metadata.require_string(kModel);
  if (model == "bert") return std::make_unique<WordPieceTokenizer>(metadata);
  if (model == "gpt2") return std::make_unique<BytePairTokenizer>(metadata);
  if (model == "llama") return std::make_unique<SentencePieceTokenizer>(metadata);
  throw Error(
      ErrorCode::unsupported,
      metadata.file_name() + ": key 'tokenizer.ggml.model' asks for the tokenizer " +
          gguf::quote(model) +
          ", which this version does not have (bert, gpt2 and llama are known); use another "
          "model",
      std::string(kModel));
}

}  // namespace

std::unique_ptr<const Tokenizer> Tokenizer::from_metadata(const gguf::Metadata& metadata) {
  try {
    return make_tokenizer(metadata);
  } catch (const CrowdedTable&) {
    throw Error(ErrorCode::corrupt,
                metadata.file_name() +
                    ": the vocabulary is made to be slow to search, which no trained one is; get "
                    "the model from a source that you trust",
                metadata.file_name());
  }
}

}  // namespace lore::engine
