#include "engine/tokenizer/vocabulary.hpp"

#include <array>
#include <limits>
#include <string>

#include "lore/error.hpp"

namespace lore::engine {
namespace {

using gguf::Metadata;

struct Spelling {
  std::string_view text;
  bool ends_generation;
};

/// Tokens that chat and code models use as control tokens, also where a converter stored them as
/// ordinary ones. llama.cpp knows the same ones by spelling.
constexpr std::array kSpellings = {
    // Ends of a turn or of a text.
    Spelling{"<|eot_id|>", true},
    Spelling{"<|im_end|>", true},
    Spelling{"<|end|>", true},
    Spelling{"<|return|>", true},
    Spelling{"<|call|>", true},
    Spelling{"<|flush|>", true},
    Spelling{"<|calls|>", true},
    Spelling{"<end_of_turn>", true},
    Spelling{"<|endoftext|>", true},
    Spelling{"</s>", true},
    Spelling{"<|eom_id|>", true},
    Spelling{"<EOT>", true},
    Spelling{"_<EOT>", true},
    Spelling{"[EOT]", true},
    Spelling{"[EOS]", true},
    Spelling{"<|end_of_text|>", true},
    Spelling{"<end_of_utterance>", true},
    Spelling{"<eos>", true},
    Spelling{"<｜end▁of▁sentence｜>", true},
    // Filling in the middle of code: padding, repository and file separators end a generation.
    Spelling{"<|fim_pad|>", true},
    Spelling{"<fim-pad>", true},
    Spelling{"<fim_pad>", true},
    Spelling{"<PAD>", true},
    Spelling{"[PAD]", true},
    Spelling{"<|fim_repo|>", true},
    Spelling{"<|repo_name|>", true},
    Spelling{"<fim-repo>", true},
    Spelling{"<REPO>", true},
    Spelling{"<reponame>", true},
    Spelling{"<|file_sep|>", true},
    // The other parts of it do not.
    Spelling{"<|fim_prefix|>", false},
    Spelling{"<fim-prefix>", false},
    Spelling{"<fim_prefix>", false},
    Spelling{"<｜fim▁begin｜>", false},
    Spelling{"<PRE>", false},
    Spelling{"▁<PRE>", false},
    Spelling{"<|fim_suffix|>", false},
    Spelling{"<fim-suffix>", false},
    Spelling{"<fim_suffix>", false},
    Spelling{"<｜fim▁hole｜>", false},
    Spelling{"<SUF>", false},
    Spelling{"▁<SUF>", false},
    Spelling{"<|fim_middle|>", false},
    Spelling{"<fim-middle>", false},
    Spelling{"<fim_middle>", false},
    Spelling{"<｜fim▁end｜>", false},
    Spelling{"<MID>", false},
    Spelling{"▁<MID>", false},
};

constexpr std::string_view kTokens = "tokenizer.ggml.tokens";
constexpr std::string_view kTypes = "tokenizer.ggml.token_type";
constexpr std::string_view kScores = "tokenizer.ggml.scores";

[[noreturn]] void fail(const Metadata& metadata, std::string_view key, std::string_view problem) {
  std::string message = metadata.file_name();
  message.append(": key '").append(key).append("' ").append(problem);
  throw Error(ErrorCode::corrupt, message, std::string(key));
}

}  // namespace

Vocabulary::Vocabulary(const Metadata& metadata, const VocabularyDefaults& defaults) {
  read_tokens(metadata);
  read_kinds_and_scores(metadata);
  read_special(metadata, defaults);
  mark_special(metadata);
}

std::optional<TokenId> Vocabulary::find(std::string_view text) const noexcept {
  for (std::size_t i = 0; i < size(); ++i) {
    if (texts_[i] == text) return static_cast<TokenId>(i);
  }
  return std::nullopt;
}

void Vocabulary::read_tokens(const Metadata& metadata) {
  const auto* tokens = metadata.get_strings(kTokens);
  if (tokens == nullptr || tokens->empty()) {
    fail(metadata, kTokens, "is missing or empty; the file holds no vocabulary");
  }
  constexpr std::size_t kMostBytes = std::size_t{1} << 30U;  // vocabularies take some megabytes
  std::size_t bytes = 0;
  for (const std::string& token : *tokens) bytes += token.size();
  if (tokens->size() > static_cast<std::size_t>(std::numeric_limits<TokenId>::max()) ||
      bytes > kMostBytes) {
    fail(metadata, kTokens, "is larger than any real vocabulary");
  }
  texts_.reserve(tokens->size(), bytes, 0);
  for (const std::string& token : *tokens) texts_.add(token);
}

void Vocabulary::read_kinds_and_scores(const Metadata& metadata) {
  kinds_.assign(size(), TokenKind::normal);
  if (const auto types = metadata.get_integers(kTypes)) {
    if (types->size() != size()) fail(metadata, kTypes, "has not one number a token");
    for (std::size_t i = 0; i < size(); ++i) {
      const std::int64_t type = (*types)[i];
      kinds_[i] = type >= 1 && type <= 6 ? static_cast<TokenKind>(type) : TokenKind::undefined;
    }
  }
  if (auto scores = metadata.get_floats(kScores)) {
    if (scores->size() != size()) fail(metadata, kScores, "has not one number a token");
    scores_ = *std::move(scores);
  }
}

std::optional<TokenId> Vocabulary::special_id(const Metadata& metadata,
                                              std::string_view key) const {
  const auto number = metadata.get_unsigned(key);
  // Converters write 0xFFFFFFFF for "none".
  if (!number || *number >= size()) return std::nullopt;
  return static_cast<TokenId>(*number);
}

void Vocabulary::read_special(const Metadata& metadata, const VocabularyDefaults& defaults) {
  const auto read = [&](std::string_view key, std::optional<TokenId> otherwise) {
    const auto id = special_id(metadata, key);
    if (id) return id;
    return otherwise && contains(*otherwise) ? otherwise : std::nullopt;
  };
  bos_ = read("tokenizer.ggml.bos_token_id", defaults.bos);
  eos_ = read("tokenizer.ggml.eos_token_id", defaults.eos);
  unknown_ = read("tokenizer.ggml.unknown_token_id", defaults.unknown);
  constexpr std::string_view kAddBos = "tokenizer.ggml.add_bos_token";
  constexpr std::string_view kAddEos = "tokenizer.ggml.add_eos_token";
  add_bos_ = metadata.get_bool(kAddBos).value_or(defaults.add_bos);
  add_eos_ = metadata.get_bool(kAddEos).value_or(defaults.add_eos);
  if (add_bos_ && !bos_) fail(metadata, kAddBos, "asks for a token that the file does not name");
  if (add_eos_ && !eos_) fail(metadata, kAddEos, "asks for a token that the file does not name");
}

void Vocabulary::mark(std::optional<TokenId> id, std::uint8_t flags) noexcept {
  if (id) flags_[static_cast<std::size_t>(*id)] |= flags;
}

/// The first token of each spelling that is known by heart.
void Vocabulary::mark_known_spellings() {
  const auto spelling_of = [](std::int32_t number) {
    return kSpellings[static_cast<std::size_t>(number)].text;
  };
  StringIndex spellings;
  spellings.reserve(kSpellings.size());
  std::array<bool, 256> first_bytes{};
  for (std::size_t i = 0; i < kSpellings.size(); ++i) {
    spellings.add(static_cast<std::int32_t>(i), spelling_of);
    first_bytes[static_cast<unsigned char>(kSpellings[i].text[0])] = true;
  }
  std::array<bool, kSpellings.size()> found{};
  for (std::size_t i = 0; i < size(); ++i) {
    const std::string_view text = texts_[i];
    if (text.empty() || !first_bytes[static_cast<unsigned char>(text[0])]) continue;
    const std::int32_t number = spellings.find(text, spelling_of);
    if (number == StringIndex::kNone || found[static_cast<std::size_t>(number)]) continue;
    found[static_cast<std::size_t>(number)] = true;
    const bool ends = kSpellings[static_cast<std::size_t>(number)].ends_generation;
    mark(static_cast<TokenId>(i), ends ? kSpecial | kEndsGeneration : kSpecial);
  }
}

void Vocabulary::mark_special(const Metadata& metadata) {
  flags_.assign(size(), 0);
  for (std::size_t i = 0; i < size(); ++i) {
    if (kinds_[i] == TokenKind::control || kinds_[i] == TokenKind::unknown) flags_[i] = kSpecial;
  }
  mark_known_spellings();
  mark(bos_, kSpecial);
  for (const auto& id : {eos_, special_id(metadata, "tokenizer.ggml.eot_token_id"),
                         special_id(metadata, "tokenizer.ggml.eom_token_id")}) {
    mark(id, kSpecial | kEndsGeneration);
  }
}

}  // namespace lore::engine
