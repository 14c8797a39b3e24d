// Small vocabularies made up by tests, and plain implementations to compare with.
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "engine/gguf/metadata.hpp"
#include "engine/tokenizer/tokenizer.hpp"

namespace lore::test {

/// A byte-level BPE vocabulary: all 256 bytes, then what `merges` ("a b") give, in that order, then
/// `special` (control tokens). Merges and special tokens are spelled as vocabularies do ("Ġ").
engine::gguf::Metadata byte_pair_metadata(const std::vector<std::string>& merges,
                                          const std::vector<std::string>& special = {},
                                          const std::string& pre = "gpt-2");

struct Piece {
  std::string text;
  float score = 0;
  int type = 1;  // 1 normal, 2 unknown, 3 control, 4 user-defined, 6 byte
};

/// A SentencePiece vocabulary: <unk>, <s>, </s>, the 256 byte tokens, then `pieces`.
engine::gguf::Metadata sentencepiece_metadata(const std::vector<Piece>& pieces);

/// The first id after the ones that every synthetic vocabulary has.
inline constexpr engine::TokenId kFirstMerge = 256;
inline constexpr engine::TokenId kFirstPiece = 3 + 256;

/// Random text of these characters.
std::string random_text(std::mt19937& random, const std::vector<std::string>& characters,
                        std::size_t length);

}  // namespace lore::test
