// The patterns that cut one kind of characters out of a text, and the table of pre-tokenizers.
#include <algorithm>
#include <array>

#include "engine/tokenizer/pre_tokenizers.hpp"
#include "engine/tokenizer/unicode.hpp"

namespace lore::engine {
namespace split {
namespace {

using unicode::Character;
using unicode::CharacterClass;

/// ASCII characters.
using AsciiSet = std::array<bool, 128>;

template <typename Contains>
constexpr AsciiSet ascii_set(const Contains& contains) {
  AsciiSet set{};
  for (std::size_t i = 0; i < set.size(); ++i) {
    set[i] = contains(static_cast<char>(i), unicode::ascii::kClasses[i]);
  }
  return set;
}

/// Emits what `match` finds and what lies between; match(rest) gives the length of a match at the
/// start of `rest`, or 0. No match starts with an ASCII character outside of `starts`.
template <typename Match>
void cut(std::string_view text, std::size_t begin, std::size_t end, WordSink sink,
         const AsciiSet& starts, const Match& match) {
  const std::string_view stretch = text.substr(0, end);
  std::size_t gap = begin;
  for (std::size_t at = begin; at < end;) {
    const auto byte = static_cast<unsigned char>(stretch[at]);
    if (byte < 0x80 && !starts[byte]) {
      ++at;
      continue;
    }
    const std::string_view rest = stretch.substr(at);
    const std::size_t length = match(rest);
    if (length == 0) {
      at += unicode::character_at(rest, 0).bytes;
      continue;
    }
    if (gap < at) sink(gap, at);
    sink(at, at + length);
    at += length;
    gap = at;
  }
  if (gap < end) sink(gap, end);
}

constexpr AsciiSet kNumbers =
    ascii_set([](char, CharacterClass kind) { return kind == CharacterClass::number; });
constexpr AsciiSet kSigns = ascii_set([](char, CharacterClass kind) {
  return kind == CharacterClass::punctuation || kind == CharacterClass::symbol;
});
constexpr AsciiSet kLineEnds =
    ascii_set([](char c, CharacterClass) { return c == '\r' || c == '\n'; });
constexpr AsciiSet kSpacedLetters = ascii_set([](char, CharacterClass kind) {
  return kind == CharacterClass::space || kind == CharacterClass::letter;
});
constexpr AsciiSet kSpacedSigns = ascii_set([](char, CharacterClass kind) {
  return kind == CharacterClass::space || kind == CharacterClass::punctuation ||
         kind == CharacterClass::symbol;
});
constexpr AsciiSet kNone{};

/// Length of the characters at the start that satisfy `accepts`.
template <typename Accepts>
std::size_t run(std::string_view text, std::size_t from, const Accepts& accepts) {
  std::size_t length = from;
  for (Character c = unicode::character_at(text, length); c.bytes > 0 && accepts(c);
       c = unicode::character_at(text, length)) {
    length += c.bytes;
  }
  return length - from;
}

/// \s?X+ : at least one character that satisfies `accepts`, after one white space or none.
template <typename Accepts>
std::size_t spaced_run(std::string_view text, const Accepts& accepts) {
  const Character first = unicode::character_at(text, 0);
  const std::size_t space = first.kind == CharacterClass::space ? first.bytes : 0;
  const std::size_t length = run(text, space, accepts);
  return length == 0 ? 0 : space + length;
}

/// \p{N}
void each_number(std::string_view text, std::size_t begin, std::size_t end, WordSink sink) {
  cut(text, begin, end, sink, kNumbers, [](std::string_view rest) -> std::size_t {
    const Character c = unicode::character_at(rest, 0);
    return c.kind == CharacterClass::number ? c.bytes : 0;
  });
}

/// \p{N}+
void numbers(std::string_view text, std::size_t begin, std::size_t end, WordSink sink) {
  cut(text, begin, end, sink, kNumbers, [](std::string_view rest) {
    return run(rest, 0, [](const Character& c) { return c.kind == CharacterClass::number; });
  });
}

/// [0-9][0-9][0-9]
void three_digits(std::string_view text, std::size_t begin, std::size_t end, WordSink sink) {
  cut(text, begin, end, sink, kNumbers, [](std::string_view rest) -> std::size_t {
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    const std::string_view three = rest.substr(0, 3);
    return three.size() == 3 && std::all_of(three.begin(), three.end(), is_digit) ? 3 : 0;
  });
}

/// [\p{P}$+<=>^~|]+
void signs(std::string_view text, std::size_t begin, std::size_t end, WordSink sink) {
  cut(text, begin, end, sink, kSigns, [](std::string_view rest) {
    return run(rest, 0, [](const Character& c) {
      constexpr std::u32string_view kSymbols = U"$+<=>^~|";
      return c.kind == CharacterClass::punctuation ||
             kSymbols.find(c.code_point) != std::u32string_view::npos;
    });
  });
}

/// [\r\n]
void line_ends(std::string_view text, std::size_t begin, std::size_t end, WordSink sink) {
  cut(text, begin, end, sink, kLineEnds, [](std::string_view rest) -> std::size_t {
    return rest[0] == '\r' || rest[0] == '\n' ? 1 : 0;
  });
}

/// \s?\p{L}+
void spaced_letters(std::string_view text, std::size_t begin, std::size_t end, WordSink sink) {
  cut(text, begin, end, sink, kSpacedLetters, [](std::string_view rest) {
    return spaced_run(rest, [](const Character& c) { return c.kind == CharacterClass::letter; });
  });
}

/// \s?\p{P}+
void spaced_punctuation(std::string_view text, std::size_t begin, std::size_t end, WordSink sink) {
  cut(text, begin, end, sink, kSpacedSigns, [](std::string_view rest) {
    return spaced_run(rest,
                      [](const Character& c) { return c.kind == CharacterClass::punctuation; });
  });
}

/// [一-龥ࠀ-一가-퟿]+
void east_asian(std::string_view text, std::size_t begin, std::size_t end, WordSink sink) {
  cut(text, begin, end, sink, kNone, [](std::string_view rest) {
    return run(rest, 0, [](const Character& c) {
      const bool inside = (c.code_point >= 0x0800 && c.code_point <= 0x9FA5) ||
                          (c.code_point >= 0xAC00 && c.code_point <= 0xD7FF);
      return inside && c.kind != CharacterClass::space;
    });
  });
}

/// \s+$
void trailing_space(std::string_view text, std::size_t begin, std::size_t end, WordSink sink) {
  std::size_t space = begin;  // start of the white space that reaches up to `at`
  for (std::size_t at = begin; at < end;) {
    const Character c = unicode::character_at(text.substr(0, end), at);
    at += c.bytes;
    if (c.kind != CharacterClass::space) space = at;
  }
  if (begin < space) sink(begin, space);
  if (space < end) sink(space, end);
}

struct Range {
  char32_t first;
  char32_t last;
};

/// The cased letters that DeepSeek LLM's pattern lists one by one.
constexpr Range kDeepSeekLetters[] = {
    {0x0041, 0x005A},   {0x0061, 0x007A},   {0x00B5, 0x00B5},   {0x00C0, 0x00D6},
    {0x00D8, 0x00F6},   {0x00F8, 0x01BA},   {0x01BC, 0x01BF},   {0x01C4, 0x0293},
    {0x0295, 0x02AF},   {0x0370, 0x0373},   {0x0376, 0x0377},   {0x037B, 0x037D},
    {0x037F, 0x037F},   {0x0386, 0x0386},   {0x0388, 0x038A},   {0x038C, 0x038C},
    {0x038E, 0x03A1},   {0x03A3, 0x03F5},   {0x03F7, 0x0481},   {0x048A, 0x052F},
    {0x0531, 0x0556},   {0x10A0, 0x10C5},   {0x13A0, 0x13F5},   {0x13F8, 0x13FD},
    {0x1C90, 0x1CBA},   {0x1CBD, 0x1CBF},   {0x1D00, 0x1D2B},   {0x1D6B, 0x1D77},
    {0x1D79, 0x1D9A},   {0x1E00, 0x1F15},   {0x1F18, 0x1F1D},   {0x1F20, 0x1F45},
    {0x1F48, 0x1F4D},   {0x1F50, 0x1F57},   {0x1F59, 0x1F59},   {0x1F5B, 0x1F5B},
    {0x1F5D, 0x1F5D},   {0x1F5F, 0x1F7D},   {0x1F80, 0x1FB4},   {0x1FB6, 0x1FBC},
    {0x1FBE, 0x1FBE},   {0x1FC2, 0x1FC4},   {0x1FC6, 0x1FCC},   {0x1FD0, 0x1FD3},
    {0x1FD6, 0x1FDB},   {0x1FE0, 0x1FEC},   {0x1FF2, 0x1FF4},   {0x1FF6, 0x1FFC},
    {0x2102, 0x2102},   {0x2107, 0x2107},   {0x210A, 0x2113},   {0x2115, 0x2115},
    {0x2119, 0x211D},   {0x2124, 0x2124},   {0x2126, 0x2126},   {0x2128, 0x2128},
    {0x212A, 0x212D},   {0x212F, 0x2134},   {0x2139, 0x2139},   {0x213C, 0x213F},
    {0x2145, 0x2149},   {0x214E, 0x214E},   {0x2183, 0x2184},   {0x2C00, 0x2C7B},
    {0x2C7E, 0x2CE4},   {0x2CEB, 0x2CEE},   {0x2CF2, 0x2CF3},   {0xA640, 0xA66D},
    {0xA680, 0xA69B},   {0xA722, 0xA76F},   {0xA771, 0xA787},   {0xA78B, 0xA78E},
    {0xAB70, 0xABBF},   {0xFB00, 0xFB06},   {0xFB13, 0xFB17},   {0xFF21, 0xFF3A},
    {0xFF41, 0xFF5A},   {0x10400, 0x1044F}, {0x104B0, 0x104D3}, {0x104D8, 0x104FB},
    {0x10C80, 0x10CB2}, {0x10CC0, 0x10CF2}, {0x118A0, 0x118DF}, {0x1E900, 0x1E943},
};

/// \s?[those letters]+
void deepseek_letters(std::string_view text, std::size_t begin, std::size_t end, WordSink sink) {
  cut(text, begin, end, sink, kSpacedLetters, [](std::string_view rest) {
    return spaced_run(rest, [](const Character& c) {
      const auto* after =
          std::upper_bound(std::begin(kDeepSeekLetters), std::end(kDeepSeekLetters), c.code_point,
                           [](char32_t value, const Range& range) { return value < range.first; });
      return after != std::begin(kDeepSeekLetters) && c.code_point <= (after - 1)->last;
    });
  });
}

/// \s?[!-/:-~！-／：-～‘-‟　-。]+
void deepseek_signs(std::string_view text, std::size_t begin, std::size_t end, WordSink sink) {
  cut(text, begin, end, sink, kSpacedSigns, [](std::string_view rest) {
    return spaced_run(rest, [](const Character& c) {
      const char32_t p = c.code_point;
      return (p >= U'!' && p <= U'/') || (p >= U':' && p <= U'~') || (p >= 0xFF01 && p <= 0xFF0F) ||
             (p >= 0xFF1A && p <= 0xFF5E) || (p >= 0x2018 && p <= 0x201F) || p == 0x3001 ||
             p == 0x3002;
    });
  });
}

}  // namespace
}  // namespace split

namespace {

constexpr SplitStage kGpt2[] = {split::gpt2};
constexpr SplitStage kDigitsThenGpt2[] = {split::each_number, split::gpt2};
constexpr SplitStage kLlama3[] = {split::llama3};
constexpr SplitStage kQwen2[] = {split::qwen2};
constexpr SplitStage kDeepSeekLlm[] = {split::line_ends,      split::deepseek_letters,
                                       split::deepseek_signs, split::trailing_space,
                                       split::east_asian,     split::numbers};
constexpr SplitStage kDeepSeekCoder[] = {split::line_ends, split::spaced_letters,
                                         split::spaced_punctuation, split::east_asian,
                                         split::each_number};
// What files get that do not name their pre-tokenizer.
constexpr SplitStage kDefault[] = {split::signs, split::gpt2, split::numbers, split::three_digits};

struct Row {
  std::string_view name;
  std::span<const SplitStage> stages;
  bool whole_words_first = false;
  bool adds_bos = false;
};

constexpr Row kRows[] = {
    {"default", kDefault},
    {"gpt-2", kGpt2},
    {"phi-2", kGpt2},
    {"mpt", kGpt2},
    {"olmo", kGpt2},
    {"modern-bert", kGpt2},
    {"smollm", kDigitsThenGpt2},
    {"starcoder", kDigitsThenGpt2},
    {"refact", kDigitsThenGpt2},
    {"command-r", kDigitsThenGpt2},
    {"codeshell", kDigitsThenGpt2},
    {"llama-bpe", kLlama3, true, true},
    {"llama3", kLlama3, true, true},
    {"llama-v3", kLlama3, true, true},
    {"dbrx", kLlama3},
    {"smaug-bpe", kLlama3},
    {"qwen2", kQwen2},
    {"deepseek-r1-qwen", kQwen2},
    {"stablelm2", kQwen2},
    {"deepseek-llm", kDeepSeekLlm},
    {"deepseek-coder", kDeepSeekCoder},
};

/// Sends text[begin, end) through the stages, each word of one through the next.
void run_stages(std::span<const SplitStage> stages, std::string_view text, std::size_t begin,
                std::size_t end, WordSink sink) {
  if (stages.size() == 1) return stages.front()(text, begin, end, sink);
  stages.front()(text, begin, end, [&](std::size_t from, std::size_t to) {
    run_stages(stages.subspan(1), text, from, to, sink);
  });
}

}  // namespace

std::optional<PreTokenizer> PreTokenizer::find(std::string_view name) {
  for (const Row& row : kRows) {
    if (row.name == name) return PreTokenizer(row.stages, row.whole_words_first, row.adds_bos);
  }
  return std::nullopt;
}

void PreTokenizer::split(std::string_view text, std::size_t begin, std::size_t end,
                         WordSink sink) const {
  if (begin < end) run_stages(stages_, text, begin, end, sink);
}

}  // namespace lore::engine
