#include "engine/tokenizer/tokenizer.hpp"

#include "engine/tokenizer/byte_pair.hpp"
#include "engine/tokenizer/sentencepiece.hpp"
#include "engine/tokenizer/wordpiece.hpp"
#include "lore/error.hpp"

namespace lore::engine {

std::unique_ptr<const Tokenizer> Tokenizer::from_metadata(const gguf::Metadata& metadata) {
  constexpr std::string_view kModel = "tokenizer.ggml.model";
  const std::string model = metadata.require_string(kModel);
  if (model == "bert") return std::make_unique<WordPieceTokenizer>(metadata);
  if (model == "gpt2") return std::make_unique<BytePairTokenizer>(metadata);
  if (model == "llama") return std::make_unique<SentencePieceTokenizer>(metadata);
  throw Error(
      ErrorCode::unsupported,
      metadata.file_name() + ": key 'tokenizer.ggml.model' asks for the tokenizer '" + model +
          "', which this version does not have (bert, gpt2 and llama are known); use another "
          "model",
      std::string(kModel));
}

}  // namespace lore::engine
