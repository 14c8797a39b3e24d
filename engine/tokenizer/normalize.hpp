// BERT's text normalization: clean, space out ideographs, strip accents, lower case, cut into
// words. Source: BertNormalizer and BertPreTokenizer of Hugging Face tokenizers; the models were
// trained with it, so its tables (Unicode 8 for punctuation, marks and format characters) are
// followed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lore::engine {

struct BertNormalizerOptions {
  bool lowercase = true;
  bool strip_accents = true;
};

/// A normalized word and where its characters come from.
struct BertWord {
  struct Character {
    std::uint32_t offset;  ///< in `bytes`
    std::size_t begin;     ///< in the source text
    std::size_t end;
  };
  std::string bytes;  ///< UTF-8
  std::vector<Character> characters;

  void clear() {
    bytes.clear();
    characters.clear();
  }
};

/// What a byte of a text is to BERT's normalizer: ASCII letters and digits and all bytes of other
/// characters make words; each punctuation character is a word of its own.
enum class BertByte : std::uint8_t { word, punctuation, space, dropped };

inline constexpr auto kBertBytes = [] {
  std::array<BertByte, 256> table{};
  for (std::size_t i = 0; i < 0x80; ++i) {
    const auto c = static_cast<char>(i);
    const bool alphanumeric =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    const bool space = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    table[i] = alphanumeric             ? BertByte::word
               : space                  ? BertByte::space
               : c < ' ' || c == '\x7F' ? BertByte::dropped
                                        : BertByte::punctuation;
  }
  return table;
}();

/// Where the stretch ends that starts with the word or dropped byte at `begin`: before ASCII white
/// space or punctuation, and on both sides of the most frequent ideographs. No word reaches over
/// such an end, and what is read on one side of it does not depend on the other.
std::size_t bert_stretch_end(std::string_view text, std::size_t begin) noexcept;

/// Reads a text word by word.
///
/// Thread safety: one thread at a time.
class BertWords {
 public:
  /// The text must outlive the reader. Invalid UTF-8 is dropped, as U+FFFD is.
  BertWords(std::string_view text, const BertNormalizerOptions& options)
      : text_(text), options_(options) {}

  /// Starts over with another text (and the memory that this one took).
  void read(std::string_view text) {
    text_ = text;
    offset_ = used_ = 0;
    pieces_.clear();
  }
  /// Replaces `word` by the next one; false at the end of the text.
  bool next(BertWord& word);

 private:
  struct Piece {
    char32_t code_point;
    bool alone;  ///< an ideograph: a word of its own
    std::size_t begin;
    std::size_t end;
  };

  bool next_ascii(BertWord& word);
  void next_unicode(BertWord& word);
  void fill();
  void add(char32_t code_point, std::size_t begin, std::size_t end);
  void reorder_marks();
  void fold();

  std::string_view text_;
  BertNormalizerOptions options_;
  std::size_t offset_ = 0;
  // Characters of a stretch without white space, normalized, and how many of them are used up.
  std::vector<Piece> pieces_;
  std::size_t used_ = 0;
  std::vector<Piece> folded_;  // memory for fold()
};

}  // namespace lore::engine
