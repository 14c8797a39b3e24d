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
    : VocabularyTokenizer(metadata, defaults(metadata)),
      starts_{{}, kWordStart.size()},
      continuations_{{}, 0} {
  const auto fail = [&](std::string_view problem) {
    std::string message = metadata.file_name();
    message.append(": key 'tokenizer.ggml.tokens' ").append(problem);
    throw Error(ErrorCode::corrupt, message, "tokenizer.ggml.tokens");
  };
  if (!vocabulary().unknown()) fail("holds no [UNK] token, which WordPiece needs");
  read_pieces();
  if (starts_.index.size() == 0) {
    fail("holds no word that starts with U+2581; convert the model again");
  }
  options_.lowercase = metadata.get_bool("tokenizer.ggml.normalizer.lowercase").value_or(true);
  options_.strip_accents =
      metadata.get_bool("tokenizer.ggml.normalizer.strip_accents").value_or(options_.lowercase);
  for (std::size_t i = 0; i < punctuation_.size(); ++i) {
    const auto character = static_cast<char>(i);
    const TokenId id = find_piece(starts_, {&character, 1});
    punctuation_[i] = id == StringIndex::kNone ? *vocabulary().unknown() : id;
  }
}

void WordPieceTokenizer::read_pieces() {
  starts_.index.reserve(vocabulary().size());
  for (std::size_t i = 0; i < vocabulary().size(); ++i) {
    const auto id = static_cast<TokenId>(i);
    const TokenKind kind = vocabulary().kind(id);
    if (kind == TokenKind::control || kind == TokenKind::unknown) continue;
    Pieces& pieces = vocabulary().text(id).starts_with(kWordStart) ? starts_ : continuations_;
    pieces.index.add(id, [&](TokenId number) { return text_of(pieces, number); });
  }
}

void WordPieceTokenizer::encode_fragment(std::string_view text, const Fragment& fragment,
                                         bool /*after_token*/, TokenSink& out) const {
  const std::string_view stretch = text.substr(0, fragment.end);
  BertWords words({}, options_);
  BertWord word;
  const auto encode_words = [&](std::size_t begin, std::size_t end) {
    words.read(text.substr(begin, end - begin));
    while (words.next(word)) encode_word(word, begin, out);
  };
  if (out.with_spans) return encode_words(fragment.begin, fragment.end);
  for (std::size_t at = fragment.begin; at < fragment.end;) {
    const std::size_t begin = at++;
    const auto byte = static_cast<unsigned char>(text[begin]);
    if (kBertBytes[byte] == BertByte::space) continue;
    if (kBertBytes[byte] == BertByte::punctuation) {
      out.add(punctuation_[byte], begin, at);
      continue;
    }
    at = bert_stretch_end(stretch, begin);
    encode_cached(stretch, begin, at, out, [&] { encode_words(begin, at); });
  }
}

void WordPieceTokenizer::encode_word(const BertWord& word, std::size_t base, TokenSink& out) const {
  const std::size_t count = word.characters.size();
  const std::string_view bytes = word.bytes;
  const auto offset = [&](std::size_t i) {
    return i < count ? word.characters[i].offset : bytes.size();
  };
  const std::size_t tokens_before = out.size();
  bool fits = count <= kMaxWordCharacters;
  for (std::size_t start = 0; fits && start < count;) {
    const Pieces& pieces = start == 0 ? starts_ : continuations_;
    std::size_t end = count;
    while (offset(end) - offset(start) > pieces.index.longest() && end > start) --end;
    TokenId found = StringIndex::kNone;
    for (; end > start; --end) {
      found = find_piece(pieces, bytes.substr(offset(start), offset(end) - offset(start)));
      if (found != StringIndex::kNone) break;
    }
    fits = found != StringIndex::kNone;
    if (!fits) break;
    out.add(found, base + word.characters[start].begin, base + word.characters[end - 1].end);
    start = end;
  }
  if (fits) return;
  out.cut(tokens_before);
  out.add(*vocabulary().unknown(), base + word.characters.front().begin,
          base + word.characters.back().end);
}

std::string WordPieceTokenizer::normal_piece(TokenId id) const {
  const std::string_view text = vocabulary().text(id);
  if (!text.starts_with(kWordStart)) return std::string(text);
  std::string result = " ";
  return result.append(text.substr(kWordStart.size()));
}

}  // namespace lore::engine
