#include "engine/tokenizer/sentencepiece.hpp"

#include <algorithm>
#include <bit>

#include "base/utf8.hpp"
#include "lore/error.hpp"

namespace lore::engine {
namespace {

using gguf::Metadata;

constexpr std::string_view kSpace = "\u2581";

VocabularyDefaults defaults() {
  VocabularyDefaults result;
  result.unknown = 0;
  result.bos = 1;
  result.eos = 2;
  result.add_bos = true;
  return result;
}

/// A number that is smaller for higher scores, in the order of floats.
std::uint32_t priority_of(float score) noexcept {
  const float positive_zero = score == 0.0F ? 0.0F : score;
  const auto bits = std::bit_cast<std::uint32_t>(positive_zero);
  constexpr std::uint32_t kSign = 0x80000000U;
  const std::uint32_t ascending = (bits & kSign) != 0 ? ~bits : bits | kSign;
  return std::min(~ascending, Merge::kNever - 1);
}

/// The value of "<0x0A>", or -1.
int byte_of(std::string_view text) noexcept {
  if (text.size() != 6 || !text.starts_with("<0x") || text.back() != '>') return -1;
  int value = 0;
  for (const char c : text.substr(3, 2)) {
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                             : -1;
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

}  // namespace

/// A stretch of text whose merges do not reach beyond it, with U+2581 for spaces.
struct SentencePieceTokenizer::Word {
  std::string text;
  std::vector<std::size_t> begins;  // where each byte of `text` starts in the source
  std::vector<std::size_t> ends;    // and ends; both empty where nobody asks
  std::vector<Symbol> symbols;
  MergeScratch scratch;

  std::size_t begin_of(std::size_t byte) const { return begins.empty() ? 0 : begins[byte]; }
  std::size_t end_of(std::size_t byte) const { return ends.empty() ? 0 : ends[byte]; }
};

SentencePieceTokenizer::SentencePieceTokenizer(const Metadata& metadata)
    : VocabularyTokenizer(metadata, defaults()),
      add_space_prefix_(metadata.get_bool("tokenizer.ggml.add_space_prefix").value_or(true)),
      pairs_(size()) {
  constexpr std::string_view kScores = "tokenizer.ggml.scores";
  if (!metadata.has(kScores)) {
    throw Error(ErrorCode::corrupt,
                metadata.file_name() + ": key '" + std::string(kScores) +
                    "' is missing, which SentencePiece needs; convert the model again",
                std::string(kScores));
  }
  read_pieces();
  whole_words_ = std::make_unique<std::atomic<WholeWord>[]>(size());
}

void SentencePieceTokenizer::read_pieces() {
  byte_tokens_.fill(-1);
  pieces_.reserve(size());
  priorities_.reserve(size());
  for (std::size_t i = 0; i < size(); ++i) {
    const auto id = static_cast<TokenId>(i);
    const TokenKind kind = vocabulary().kind(id);
    const std::string_view text = vocabulary().text(id);
    const bool merged =
        kind != TokenKind::control && kind != TokenKind::unknown && kind != TokenKind::byte;
    priorities_.push_back(priority_of(vocabulary().score(id)));
    if (merged) {
      pieces_.add(id, [this](TokenId number) { return text_of(number); });
      pairs_.add(text);
    }
    const int byte = kind == TokenKind::byte ? byte_of(text) : -1;
    if (byte >= 0) byte_tokens_[static_cast<std::size_t>(byte)] = id;
  }
  for (std::size_t i = 0; i < ascii_pieces_.size(); ++i) {
    const auto character = static_cast<char>(i);
    ascii_pieces_[i] = find_piece({&character, 1});
  }
}

void SentencePieceTokenizer::fill(Word& word, std::string_view source, bool prefix) {
  word.text.assign(prefix ? kSpace : std::string_view{});
  for (std::size_t at = 0; at < source.size();) {
    const std::size_t space = std::min(source.find(' ', at), source.size());
    word.text.append(source, at, space - at);
    if (space < source.size()) word.text.append(kSpace);
    at = space + 1;
  }
  word.begins.clear();
  word.ends.clear();
}

void SentencePieceTokenizer::fill_places(Word& word, std::string_view source, std::size_t begin,
                                         bool prefix) {
  // A character that stands for other bytes (U+2581 for a space) comes from all of them; bytes of
  // the text itself come each from itself.
  const auto add_space = [&](std::size_t from, std::size_t to) {
    word.begins.insert(word.begins.end(), kSpace.size(), from);
    word.ends.insert(word.ends.end(), kSpace.size(), to);
  };
  if (prefix) add_space(begin, begin);
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (source[i] == ' ') {
      add_space(begin + i, begin + i + 1);
    } else {
      word.begins.push_back(begin + i);
      word.ends.push_back(begin + i + 1);
    }
  }
}

/// The text is cut where no merge can cross: every stretch can be merged alone.
void SentencePieceTokenizer::encode_fragment(std::string_view text, const Fragment& fragment,
                                             bool after_token, TokenSink& out) const {
  Word word;
  const std::string_view stretch = text.substr(0, fragment.end);
  bool prefix = add_space_prefix_ && after_token;
  for (std::size_t at = fragment.begin; at < fragment.end;) {
    const std::size_t begin = at;
    at = pairs_.stretch_end(stretch, begin, prefix);
    const auto encode_this = [&] {
      const std::string_view source = stretch.substr(begin, at - begin);
      fill(word, source, prefix);
      if (out.with_spans) fill_places(word, source, begin, prefix);
      encode_word(word, out);
    };
    if (prefix) {
      encode_this();
      prefix = false;
    } else {
      encode_cached(stretch, begin, at, out, encode_this);
    }
  }
}

void SentencePieceTokenizer::encode_word(Word& word, TokenSink& out) const {
  const TokenId whole = find_piece(word.text);
  if (whole != StringIndex::kNone && merges_to_itself(whole, word)) {
    return out.add(whole, word.begin_of(0), word.end_of(word.text.size() - 1));
  }
  merge_word(word);
  for (const Symbol& symbol : word.symbols) {
    if (symbol.id >= 0) {
      out.add(symbol.id, word.begin_of(symbol.begin), word.end_of(symbol.end - 1));
    } else {
      append_bytes(word, symbol, out);
    }
  }
}

bool SentencePieceTokenizer::merges_to_itself(TokenId id, Word& word) const {
  std::atomic<WholeWord>& known = whole_words_[static_cast<std::size_t>(id)];
  WholeWord answer = known.load(std::memory_order_relaxed);
  if (answer == WholeWord::not_known) {
    merge_word(word);
    answer = word.symbols.size() == 1 ? WholeWord::yes : WholeWord::no;
    known.store(answer, std::memory_order_relaxed);
  }
  return answer == WholeWord::yes;
}

void SentencePieceTokenizer::merge_word(Word& word) const {
  const std::string_view text = word.text;
  word.symbols.clear();
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const auto byte = static_cast<unsigned char>(text[at]);
    TokenId id = StringIndex::kNone;
    if (byte < 0x80) {
      ++at;
      id = ascii_pieces_[byte];
    } else {
      utf8::next(text, at);
      id = find_piece(text.substr(begin, at - begin));
    }
    word.symbols.push_back({static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(at), id});
  }
  const auto lookup = [&](const Symbol& left, const Symbol& right) -> Merge {
    const TokenId id = find_piece(text.substr(left.begin, right.end - left.begin));
    if (id == StringIndex::kNone) return {};
    return {priorities_[static_cast<std::size_t>(id)], id};
  };
  merge_symbols(word.symbols, lookup, word.scratch);
}

/// A character that is no token: its bytes, or one unknown token where the vocabulary lacks them.
void SentencePieceTokenizer::append_bytes(const Word& word, const Symbol& symbol,
                                          TokenSink& out) const {
  const std::string_view bytes =
      std::string_view(word.text).substr(symbol.begin, symbol.end - symbol.begin);
  const bool all = std::all_of(bytes.begin(), bytes.end(), [&](char c) {
    return byte_tokens_[static_cast<unsigned char>(c)] >= 0;
  });
  if (!all) {
    if (vocabulary().unknown()) {
      out.add(*vocabulary().unknown(), word.begin_of(symbol.begin), word.end_of(symbol.end - 1));
    }
    return;
  }
  for (std::size_t i = symbol.begin; i < symbol.end; ++i) {
    out.add(byte_tokens_[static_cast<unsigned char>(word.text[i])], word.begin_of(i),
            word.end_of(i));
  }
}

std::string SentencePieceTokenizer::normal_piece(TokenId id) const {
  const std::string_view text = vocabulary().text(id);
  if (vocabulary().kind(id) == TokenKind::byte) {
    const int byte = byte_of(text);
    return byte < 0 ? std::string{} : std::string(1, static_cast<char>(byte));
  }
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    if (text.substr(at).starts_with(kSpace)) {
      result.push_back(' ');
      at += kSpace.size();
    } else {
      result.push_back(text[at++]);
    }
  }
  return result;
}

}  // namespace lore::engine
