#include "engine/tokenizer/byte_pair.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "engine/gguf/quote.hpp"
#include "engine/tokenizer/byte_encoding.hpp"
#include "lore/error.hpp"

namespace lore::engine {
namespace {

using gguf::Metadata;

constexpr std::string_view kMerges = "tokenizer.ggml.merges";
constexpr std::string_view kPre = "tokenizer.ggml.pre";

PreTokenizer pre_tokenizer_of(const Metadata& metadata) {
  std::string name = metadata.get_string(kPre).value_or("default");
  if (name.empty()) name = "default";
  if (const auto found = PreTokenizer::find(name)) return *found;
  throw Error(ErrorCode::unsupported,
              metadata.file_name() + ": key 'tokenizer.ggml.pre' asks for the pre-tokenizer " +
                  gguf::quote(name) + ", which this version does not have; use another model",
              std::string(kPre));
}

VocabularyDefaults defaults(const PreTokenizer& pre_tokenizer) {
  VocabularyDefaults result;
  result.add_bos = pre_tokenizer.adds_bos();
  return result;
}

}  // namespace

void MergeTable::reserve(std::size_t count) {
  slots_.assign(std::bit_ceil(count + count / 2 + 2), {});
}

const MergeTable::Slot* MergeTable::slot_of(TokenId left, TokenId right) const noexcept {
  const std::uint64_t key = (static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32) |
                            static_cast<std::uint32_t>(right);
  const std::uint64_t mixed = (key ^ (key >> 29)) * 0x9E3779B97F4A7C15U;
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t probe = 0; probe < kMostProbes; ++probe) {
    const Slot& slot = slots_[((mixed >> 32) + probe) & mask];
    if (slot.left == -1 || (slot.left == left && slot.right == right)) return &slot;
  }
  return nullptr;
}

void MergeTable::add(TokenId left, TokenId right, Merge merge) {
  const Slot* slot = slot_of(left, right);
  if (slot == nullptr) throw CrowdedTable();
  if (slot->left == -1)
    slots_[static_cast<std::size_t>(slot - slots_.data())] = {left, right, merge};
}

Merge MergeTable::find(TokenId left, TokenId right) const noexcept {
  const Slot* slot = slot_of(left, right);
  return slot == nullptr ? Merge{} : slot->merge;  // of an empty slot: never
}

BytePairTokenizer::BytePairTokenizer(const Metadata& metadata)
    : VocabularyTokenizer(metadata, defaults(pre_tokenizer_of(metadata))),
      pre_tokenizer_(pre_tokenizer_of(metadata)) {
  read_bytes();
  read_merges(metadata);
  for (unsigned byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    byte_symbols_[byte] = symbol_of({&c, 1});
  }
  whole_words_ = std::make_unique<std::atomic<WholeWord>[]>(size());
}

/// Special tokens spell themselves; no text but a parsed one gives them.
void BytePairTokenizer::read_bytes() {
  const std::size_t with_merges = size() + size() / 64;
  bytes_.reserve(with_merges, 8 * size(), with_merges);
  std::string bytes;
  for (std::size_t i = 0; i < size(); ++i) {
    const auto id = static_cast<TokenId>(i);
    const TokenKind kind = vocabulary().kind(id);
    const bool ordinary = kind != TokenKind::control && kind != TokenKind::unknown;
    bytes.clear();
    const bool spelled = ordinary && append_spelled(vocabulary().text(id), bytes);
    bytes_.add(spelled ? std::string_view(bytes) : std::string_view{});
    if (!bytes_.index(id) && spelled && !bytes.empty()) all_differ_ = false;
  }
}

/// The number of the symbol with these bytes; a new one where it is no token. `guess`: the number
/// that it probably has, which spares the look-up.
TokenId BytePairTokenizer::symbol_of(std::string_view bytes, TokenId guess) {
  if (all_differ_ && vocabulary().contains(guess) &&
      bytes_[static_cast<std::size_t>(guess)] == bytes) {
    return guess;
  }
  TokenId symbol = bytes_.find(bytes);
  if (symbol == StringTable::kNone) {
    symbol = static_cast<TokenId>(bytes_.size());
    bytes_.add(bytes);
    bytes_.index(symbol);
  }
  return symbol;
}

void BytePairTokenizer::read_merges(const Metadata& metadata) {
  const auto* merges = metadata.get_strings(kMerges);
  const auto fail = [&](const std::string& problem) {
    throw Error(ErrorCode::corrupt,
                metadata.file_name() + ": key '" + std::string(kMerges) + "' " + problem +
                    "; convert the model again",
                std::string(kMerges));
  };
  if (merges == nullptr) fail("is missing, which byte pair encoding needs");
  // Each merge may bring three symbols, and its bytes in them twice.
  std::size_t bytes = 0;
  for (const std::string& merge : *merges) bytes += 2 * merge.size();
  constexpr std::size_t kMostBytes = std::size_t{1} << 30U;  // vocabularies take some megabytes
  if (bytes > kMostBytes) fail("is larger than any real vocabulary");
  merges_.reserve(merges->size());
  std::string both;      // the bytes of the two symbols, end to end
  TokenId product = -1;  // of the merge before: most vocabularies list products in this order
  std::uint32_t rank = 0;
  for (const std::string& merge : *merges) {
    const std::size_t space = std::min(merge.find(' ', 1), merge.size());
    const std::string_view spelled = merge;
    both.clear();
    const bool left = append_spelled(spelled.substr(0, space), both);
    const std::size_t middle = both.size();
    const bool right = append_spelled(spelled.substr(std::min(space + 1, merge.size())), both);
    if (!left || !right || middle == 0 || middle == both.size()) {
      fail("holds " + gguf::quote(merge) + " at place " + std::to_string(rank) +
           ", which is no pair");
    }
    const std::string_view symbols = both;
    product = symbol_of(symbols, product + 1);
    merges_.add(symbol_of(symbols.substr(0, middle)), symbol_of(symbols.substr(middle)),
                {rank, product});
    ++rank;
  }
}

void BytePairTokenizer::encode_fragment(std::string_view text, const Fragment& fragment,
                                        bool /*after_token*/, TokenSink& out) const {
  MergeScratch scratch;
  std::vector<Symbol> symbols;
  pre_tokenizer_.split(text, fragment.begin, fragment.end, [&](std::size_t begin, std::size_t end) {
    encode_cached(text, begin, end, out, [&] {
      encode_word(text.substr(begin, end - begin), begin, scratch, symbols, out);
    });
  });
}

void BytePairTokenizer::encode_word(std::string_view word, std::size_t offset,
                                    MergeScratch& scratch, std::vector<Symbol>& symbols,
                                    TokenSink& out) const {
  const TokenId whole = bytes_.find(word);
  const bool is_token = whole != StringTable::kNone && vocabulary().contains(whole);
  if (is_token && merges_to_itself(whole, word, scratch, symbols)) {
    return out.add(whole, offset, offset + word.size());
  }
  merge_word(word, scratch, symbols);
  for (const Symbol& symbol : symbols) append_symbol(symbol, word, offset, out);
}

bool BytePairTokenizer::merges_to_itself(TokenId id, std::string_view word, MergeScratch& scratch,
                                         std::vector<Symbol>& symbols) const {
  if (pre_tokenizer_.whole_words_first()) return true;
  std::atomic<WholeWord>& known = whole_words_[static_cast<std::size_t>(id)];
  WholeWord answer = known.load(std::memory_order_relaxed);
  if (answer == WholeWord::not_known) {
    merge_word(word, scratch, symbols);
    answer = symbols.size() == 1 && symbols[0].id == id ? WholeWord::yes : WholeWord::no;
    known.store(answer, std::memory_order_relaxed);
  }
  return answer == WholeWord::yes;
}

void BytePairTokenizer::merge_word(std::string_view word, MergeScratch& scratch,
                                   std::vector<Symbol>& symbols) const {
  symbols.clear();
  for (std::uint32_t i = 0; i < word.size(); ++i) {
    symbols.push_back({i, i + 1, byte_symbols_[static_cast<unsigned char>(word[i])]});
  }
  merge_symbols(
      symbols,
      [&](const Symbol& left, const Symbol& right) { return merges_.find(left.id, right.id); },
      scratch);
}

/// A symbol that is no token falls back to its bytes; a byte that is none is left out, as the
/// reference does.
void BytePairTokenizer::append_symbol(const Symbol& symbol, std::string_view word,
                                      std::size_t offset, TokenSink& out) const {
  if (vocabulary().contains(symbol.id)) {
    return out.add(symbol.id, offset + symbol.begin, offset + symbol.end);
  }
  for (std::size_t i = symbol.begin; i < symbol.end; ++i) {
    const TokenId id = byte_symbols_[static_cast<unsigned char>(word[i])];
    if (vocabulary().contains(id)) out.add(id, offset + i, offset + i + 1);
  }
}

std::string BytePairTokenizer::normal_piece(TokenId id) const {
  const std::string_view bytes = bytes_[static_cast<std::size_t>(id)];
  return std::string(bytes.empty() ? vocabulary().text(id) : bytes);
}

}  // namespace lore::engine
