// The WordPiece vocabulary of a BERT folder, as GGUF stores it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/gguf/writer.hpp"

namespace lore::engine::convert {

/// Reads tokenizer.json, or vocab.txt where there is none, with tokenizer_config.json and
/// special_tokens_map.json beside it, and sets the `tokenizer.ggml.*` keys: words start with U+2581
/// and continuations lose their "##", special tokens keep their spelling; ids that the vocabulary
/// leaves out up to `size` become unused "[PAD7]" tokens.
///
/// Throws Error{not_found} where there is neither, Error{corrupt} naming file and key, and
/// Error{unsupported} for tokenizers that are not BERT's WordPiece.
void set_vocabulary(const std::filesystem::path& folder, std::size_t size, gguf::Writer& writer);

}  // namespace lore::engine::convert
