#include "engine/tokenizer/wordpiece.hpp"

#include <algorithm>

#include "lore/error.hpp"

namespace lore::engine {
namespace {

using gguf::Metadata;

constexpr std::string_view kWordStart = "\u2581";
constexpr std::size_t kMaxWordCharacters = 100;

/// The id in the first of these keys that the file has, or else of this spelling.
std::optional<TokenId> special(const Metadata& metadata, std::string_view key,
                               std::string_view spelling) {
  if (const auto id = metadata.get_unsigned(key)) {
    if (*id <= 0x7FFFFFFF) return static_cast<TokenId>(*id);
  }
  const auto* tokens = metadata.get_strings("tokenizer.ggml.tokens");
  if (tokens == nullptr) return std::nullopt;
  const auto found = std::find(tokens->begin(), tokens->end(), spelling);
  if (found == tokens->end()) return std::nullopt;
  return static_cast<TokenId>(found - tokens->begin());
}

VocabularyDefaults defaults(const Metadata& metadata) {
  VocabularyDefaults result;
  result.bos = special(metadata, "tokenizer.ggml.cls_token_id", "[CLS]");
  // The misspelling is the format's.
  result.eos = special(metadata, "tokenizer.ggml.seperator_token_id", "[SEP]");
  result.unknown = special(metadata, "tokenizer.ggml.unknown_token_id", "[UNK]");
  result.add_bos = result.bos.has_value();
  result.add_eos =
      result.eos.has_value() && metadata.get_bool("tokenizer.ggml.add_sep_token").value_or(true);
  return result;
}

}  // namespace

WordPieceTokenizer::WordPieceTokenizer(const Metadata& metadata)
    : VocabularyTokenizer(metadata, defaults(metadata)) {
  const auto fail = [&](std::string_view problem) {
    std::string message = metadata.file_name();
    message.append(": key 'tokenizer.ggml.tokens' ").append(problem);
    throw Error(ErrorCode::corrupt, message, "tokenizer.ggml.tokens");
  };
  if (!vocabulary().unknown()) fail("holds no [UNK] token, which WordPiece needs");
  for (std::size_t i = 0; i < vocabulary().size(); ++i) {
    const auto id = static_cast<TokenId>(i);
    const TokenKind kind = vocabulary().kind(id);
    if (kind == TokenKind::control || kind == TokenKind::unknown) continue;
    const std::string_view text = vocabulary().text(id);
    const bool start = text.starts_with(kWordStart);
    Pieces& pieces = start ? starts_ : continuations_;
    pieces.texts.add(start ? text.substr(kWordStart.size()) : text);
    pieces.ids.push_back(id);
    pieces.texts.index(static_cast<std::int32_t>(pieces.ids.size() - 1));
  }
  if (starts_.ids.empty()) {
    fail("holds no word that starts with U+2581; convert the model again");
  }
  options_.lowercase = metadata.get_bool("tokenizer.ggml.normalizer.lowercase").value_or(true);
  options_.strip_accents =
      metadata.get_bool("tokenizer.ggml.normalizer.strip_accents").value_or(options_.lowercase);
}

void WordPieceTokenizer::encode_fragment(std::string_view text, const Fragment& fragment,
                                         bool /*after_token*/, Encoding& out) const {
  BertWords words(text.substr(fragment.begin, fragment.end - fragment.begin), options_);
  BertWord word;
  while (words.next(word)) encode_word(word, fragment.begin, out);
}

void WordPieceTokenizer::encode_word(const BertWord& word, std::size_t base, Encoding& out) const {
  const std::size_t count = word.characters.size();
  const std::string_view bytes = word.bytes;
  const auto offset = [&](std::size_t i) {
    return i < count ? word.characters[i].offset : bytes.size();
  };
  const std::size_t tokens_before = out.ids.size();
  bool fits = count <= kMaxWordCharacters;
  for (std::size_t start = 0; fits && start < count;) {
    const Pieces& pieces = start == 0 ? starts_ : continuations_;
    std::size_t end = count;
    while (offset(end) - offset(start) > pieces.texts.longest() && end > start) --end;
    std::int32_t found = StringTable::kNone;
    for (; end > start; --end) {
      found = pieces.texts.find(bytes.substr(offset(start), offset(end) - offset(start)));
      if (found != StringTable::kNone) break;
    }
    fits = found != StringTable::kNone;
    if (!fits) break;
    append(out, pieces.ids[static_cast<std::size_t>(found)], base + word.characters[start].begin,
           base + word.characters[end - 1].end);
    start = end;
  }
  if (fits) return;
  out.ids.resize(tokens_before);
  out.spans.resize(tokens_before);
  append(out, *vocabulary().unknown(), base + word.characters.front().begin,
         base + word.characters.back().end);
}

std::string WordPieceTokenizer::normal_piece(TokenId id) const {
  const std::string_view text = vocabulary().text(id);
  if (!text.starts_with(kWordStart)) return std::string(text);
  std::string result = " ";
  return result.append(text.substr(kWordStart.size()));
}

}  // namespace lore::engine
