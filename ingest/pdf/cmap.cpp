#include "ingest/pdf/cmap.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "ingest/pdf/content_lexer.hpp"

namespace lore::ingest::pdf {
namespace {

constexpr std::size_t kMaxEntries = 300'000;
constexpr std::size_t kMaxCodespaces = 100;
constexpr std::size_t kMaxTextUnits = 64;  // UTF-16 units that one code may stand for

std::uint32_t big_endian(std::string_view bytes) {
  std::uint32_t value = 0;
  for (const char c : bytes.substr(0, 4)) value = (value << 8) | static_cast<unsigned char>(c);
  return value;
}

/// The text of a bfchar target: UTF-16BE with surrogate pairs, one byte alone is its own code.
std::u32string utf16_text(std::string_view bytes) {
  std::u32string text;
  if (bytes.size() == 1) return {static_cast<char32_t>(static_cast<unsigned char>(bytes[0]))};
  for (std::size_t i = 0; i + 1 < bytes.size() && i < 2 * kMaxTextUnits; i += 2) {
    char32_t unit = big_endian(bytes.substr(i, 2));
    if (unit >= 0xD800 && unit < 0xDC00 && i + 3 < bytes.size()) {
      const char32_t low = big_endian(bytes.substr(i + 2, 2));
      if (low >= 0xDC00 && low < 0xE000) {
        unit = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
        i += 2;
      }
    }
    if (unit != 0) text.push_back(unit);  // U+0000 stands for "nothing known" in the wild
  }
  return text;
}

/// The entry that covers `code`, latest definition first. Ranges are sorted by (bytes, first).
template <typename Range>
const Range* find_range(const std::vector<Range>& ranges, CharacterCode code) {
  auto after = std::upper_bound(ranges.begin(), ranges.end(), code,
                                [](CharacterCode wanted, const Range& range) {
                                  return wanted.bytes != range.bytes ? wanted.bytes < range.bytes
                                                                     : wanted.value < range.first;
                                });
  // Overlapping ranges are rare: a few steps back find the outer one of a nest.
  for (int steps = 0; after != ranges.begin() && steps < 16; ++steps) {
    --after;
    if (after->bytes != code.bytes) break;
    if (code.value <= after->last) return &*after;
  }
  return nullptr;
}

}  // namespace

/// Reads one map; the state between its sections.
class CMapParser {
 public:
  CMapParser(std::string_view bytes, CMap& map, CMap::Find find)
      : lexer_(bytes), map_(map), find_(find) {}

  void run() {
    std::vector<Operand> operands;
    Operand operand;
    for (;;) {
      const ContentLexer::Token token = lexer_.next(operand);
      if (token == ContentLexer::Token::end) return;
      if (token == ContentLexer::Token::operand) {
        // Sections are read to their end below, so only a few operands ever wait here.
        if (operands.size() >= 8) operands.erase(operands.begin());
        operands.push_back(std::move(operand));
        operand = Operand{};
        continue;
      }
      handle(lexer_.keyword(), operands);
      operands.clear();
    }
  }

 private:
  void handle(std::string_view keyword, const std::vector<Operand>& operands) {
    if (keyword == "begincodespacerange") {
      read_section(2, [this](std::vector<Operand>& row) { add_codespace(row); });
    } else if (keyword == "beginbfchar") {
      read_section(2, [this](std::vector<Operand>& row) { add_text(row[0], row[0], row[1]); });
    } else if (keyword == "beginbfrange") {
      read_section(3, [this](std::vector<Operand>& row) { add_text(row[0], row[1], row[2]); });
    } else if (keyword == "begincidchar") {
      read_section(2, [this](std::vector<Operand>& row) { add_cid(row[0], row[0], row[1]); });
    } else if (keyword == "begincidrange") {
      read_section(3, [this](std::vector<Operand>& row) { add_cid(row[0], row[1], row[2]); });
    } else if (keyword == "usecmap" && !operands.empty()) {
      if (const CMap* other = find_(operands.back().text)) inherit(*other);
    } else if (keyword == "def" && operands.size() >= 2 &&
               operands[operands.size() - 2].text == "WMode") {
      map_.vertical_ = operands.back().number == 1;
    }
  }

  template <typename Add>
  void read_section(std::size_t width, Add add) {
    std::vector<Operand> row;
    Operand operand;
    for (;;) {
      const ContentLexer::Token token = lexer_.next(operand);
      if (token != ContentLexer::Token::operand) return;  // the section's end
      row.push_back(std::move(operand));
      operand = Operand{};
      if (row.size() == width) {
        add(row);
        row.clear();
      }
    }
  }

  bool full() const { return map_.cids_.size() + map_.texts_.size() >= kMaxEntries; }

  void add_codespace(const std::vector<Operand>& row) {
    const std::size_t bytes = row[0].text.size();
    if (bytes < 1 || bytes > 4 || row[1].text.size() != bytes) return;
    if (map_.codespaces_.size() >= kMaxCodespaces) return;
    map_.codespaces_.push_back(
        {big_endian(row[0].text), big_endian(row[1].text), static_cast<unsigned>(bytes)});
  }

  static bool code_range(const Operand& first, const Operand& last) {
    return first.is(OperandKind::string) && last.is(OperandKind::string) && !first.text.empty() &&
           first.text.size() <= 4 && first.text.size() == last.text.size() &&
           big_endian(first.text) <= big_endian(last.text);
  }

  void add_cid(const Operand& first, const Operand& last, const Operand& target) {
    if (full() || !code_range(first, last)) return;
    const auto bytes = static_cast<unsigned>(first.text.size());
    if (target.is(OperandKind::string)) {  // a ToUnicode map that says "cid" for "bf"
      add_text(first, last, target);
    } else if (target.number >= 0 && target.number <= 0x10FFFF) {
      map_.cids_.push_back({big_endian(first.text), big_endian(last.text),
                            static_cast<std::uint32_t>(target.number), bytes});
    }
  }

  void add_text(const Operand& first, const Operand& last, const Operand& target) {
    if (full() || !code_range(first, last)) return;
    const auto bytes = static_cast<unsigned>(first.text.size());
    const std::uint32_t low = big_endian(first.text);
    const std::uint32_t high = big_endian(last.text);
    if (target.is(OperandKind::array)) {
      for (std::size_t i = 0; i < target.items.size() && i <= high - low && !full(); ++i) {
        const auto code = static_cast<std::uint32_t>(low + i);
        add_range(code, code, bytes, target.items[i].text);
      }
    } else if (target.is(OperandKind::string)) {
      add_range(low, high, bytes, target.text);
    } else if (target.is(OperandKind::number) && target.number > 0 && target.number <= 0x10FFFF) {
      map_.texts_.push_back({low, high, bytes, {static_cast<char32_t>(target.number)}});
    }
  }

  /// A target without a byte says that the code has no text; one of only U+0000 says nothing.
  void add_range(std::uint32_t low, std::uint32_t high, unsigned bytes, const std::string& target) {
    std::u32string text = utf16_text(target);
    if (!text.empty() || target.empty()) map_.texts_.push_back({low, high, bytes, std::move(text)});
  }

  /// Only once: maps that are taken in again and again would multiply their entries.
  void inherit(const CMap& other) {
    const std::size_t own = map_.cids_.size() + map_.texts_.size();
    const std::size_t more = other.cids_.size() + other.texts_.size();
    if (std::exchange(inherited_, true) || own + more > kMaxEntries) return;
    const auto append = [](auto& to, const auto& from) {
      to.insert(to.begin(), from.begin(), from.end());
    };
    append(map_.codespaces_, other.codespaces_);
    append(map_.cids_, other.cids_);
    append(map_.texts_, other.texts_);
  }

  ContentLexer lexer_;
  CMap& map_;
  CMap::Find find_;
  bool inherited_ = false;
};

CMap CMap::parse(std::string_view bytes, Find find) {
  CMap map;
  CMapParser(bytes, map, find).run();
  map.sort_ranges();
  return map;
}

CMap CMap::identity(bool vertical) {
  CMap map;
  map.codespaces_.push_back({0, 0xFFFF, 2});
  map.cids_.push_back({0, 0xFFFF, 0, 2});
  map.vertical_ = vertical;
  return map;
}

void CMap::sort_ranges() {
  const auto before = [](const auto& a, const auto& b) {
    return a.bytes != b.bytes ? a.bytes < b.bytes : a.first < b.first;
  };
  std::stable_sort(cids_.begin(), cids_.end(), before);
  std::stable_sort(texts_.begin(), texts_.end(), before);
}

CharacterCode CMap::next_code(std::string_view string, std::size_t& at) const noexcept {
  CharacterCode code{0, 0};
  const std::size_t left = string.size() - at;
  for (unsigned bytes = 1; bytes <= 4 && bytes <= left; ++bytes) {
    code.value = (code.value << 8) | static_cast<unsigned char>(string[at + bytes - 1]);
    code.bytes = bytes;
    for (const Codespace& space : codespaces_) {
      if (space.bytes != bytes) continue;
      bool inside = true;  // each byte within its own bounds, as the specification has it
      for (unsigned shift = 0; shift < 8 * bytes && inside; shift += 8) {
        const std::uint32_t byte = (code.value >> shift) & 0xFF;
        inside = byte >= ((space.low >> shift) & 0xFF) && byte <= ((space.high >> shift) & 0xFF);
      }
      if (inside) {
        at += bytes;
        return code;
      }
    }
  }
  // No range fits: take as many bytes as the shortest range has.
  unsigned shortest = codespaces_.empty() ? 2 : 4;
  for (const Codespace& space : codespaces_) shortest = std::min(shortest, space.bytes);
  const auto bytes = static_cast<unsigned>(std::min<std::size_t>(shortest, left));
  code = {big_endian(string.substr(at, bytes)), bytes};
  at += bytes;
  return code;
}

bool CMap::cid(CharacterCode code, std::uint32_t& cid) const noexcept {
  const CidRange* range = find_range(cids_, code);
  if (range == nullptr) return false;
  cid = range->cid + (code.value - range->first);
  return true;
}

bool CMap::unicode(CharacterCode code, std::u32string& text) const {
  const TextRange* range = find_range(texts_, code);
  text.clear();
  if (range == nullptr) return false;
  if (range->text.empty()) return true;
  const char32_t last = range->text.back() + (code.value - range->first);
  text.assign(range->text, 0, range->text.size() - 1);
  if (last > 0x10FFFF) return false;
  text.push_back(last);
  return true;
}

}  // namespace lore::ingest::pdf
