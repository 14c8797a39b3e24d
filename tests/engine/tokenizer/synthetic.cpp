#include "tests/engine/tokenizer/synthetic.hpp"

#include <algorithm>

#include "base/utf8.hpp"
#include "engine/tokenizer/byte_encoding.hpp"

namespace lore::test {

using engine::gguf::Array;
using engine::gguf::Metadata;

Metadata byte_pair_metadata(const std::vector<std::string>& merges,
                            const std::vector<std::string>& special, const std::string& pre) {
  std::vector<std::string> tokens;
  for (int byte = 0; byte < 256; ++byte) {
    std::string text;
    utf8::append(text, engine::byte_to_character(static_cast<unsigned char>(byte)));
    tokens.push_back(text);
  }
  for (const std::string& merge : merges) {
    const std::size_t space = merge.find(' ');
    std::string token = merge.substr(0, space) + merge.substr(space + 1);
    const bool control = std::find(special.begin(), special.end(), token) != special.end();
    if (!control) tokens.push_back(std::move(token));
  }
  std::vector<std::int64_t> types(tokens.size(), 1);
  for (const std::string& token : special) {
    tokens.push_back(token);
    types.push_back(3);
  }
  Metadata metadata("byte-pair");
  metadata.set("tokenizer.ggml.model", std::string("gpt2"));
  metadata.set("tokenizer.ggml.pre", pre);
  metadata.set("tokenizer.ggml.tokens", Array{std::move(tokens)});
  metadata.set("tokenizer.ggml.token_type", Array{std::move(types)});
  metadata.set("tokenizer.ggml.merges", Array{merges});
  return metadata;
}

Metadata sentencepiece_metadata(const std::vector<Piece>& pieces) {
  std::vector<Piece> all = {{"<unk>", 0, 2}, {"<s>", 0, 3}, {"</s>", 0, 3}};
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  for (std::size_t byte = 0; byte < 256; ++byte) {
    all.push_back({std::string("<0x") + kDigits[byte / 16] + kDigits[byte % 16] + ">", 0, 6});
  }
  all.insert(all.end(), pieces.begin(), pieces.end());
  std::vector<std::string> tokens;
  std::vector<float> scores;
  std::vector<std::int64_t> types;
  for (const Piece& piece : all) {
    tokens.push_back(piece.text);
    scores.push_back(piece.score);
    types.push_back(piece.type);
  }
  Metadata metadata("sentencepiece");
  metadata.set("tokenizer.ggml.model", std::string("llama"));
  metadata.set("tokenizer.ggml.tokens", Array{std::move(tokens)});
  metadata.set("tokenizer.ggml.scores", Array{std::move(scores)});
  metadata.set("tokenizer.ggml.token_type", Array{std::move(types)});
  return metadata;
}

std::string random_text(std::mt19937& random, const std::vector<std::string>& characters,
                        std::size_t length) {
  std::uniform_int_distribution<std::size_t> pick(0, characters.size() - 1);
  std::string text;
  for (std::size_t i = 0; i < length; ++i) text += characters[pick(random)];
  return text;
}

}  // namespace lore::test
