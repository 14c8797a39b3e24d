// Vocabularies and expected ids for the tokenizer tests.
#pragma once

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "engine/gguf/metadata.hpp"
#include "engine/tokenizer/tokenizer.hpp"

namespace lore::test {

/// The tokenizer of a GGUF file.
std::unique_ptr<const engine::Tokenizer> load_tokenizer(const std::filesystem::path& gguf);

/// A text and the ids that the reference gives for it.
struct TokenCase {
  std::string text;
  std::vector<engine::TokenId> ids;
};

/// Reads `stem`.inp and `stem`.out: texts that each end in a marker line, ids one line a text.
std::vector<TokenCase> read_cases(const std::filesystem::path& stem);

/// The objects of a file of JSON lines.
std::vector<nlohmann::json> read_json_lines(const std::filesystem::path& path);

/// Metadata of a WordPiece vocabulary, as a converter stores it: `pieces` spelled as in vocab.txt
/// ("##ing" goes on a word).
engine::gguf::Metadata wordpiece_metadata(const std::vector<std::string>& pieces);

/// Checks what must hold of the spans of any text: one an id, inside of it, in order, whole
/// characters where `whole_characters`.
void expect_sound_spans(const engine::Encoding& encoding, std::string_view text);

}  // namespace lore::test
