#include "ingest/pdf/assemble.hpp"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "base/utf8.hpp"

namespace lore::ingest::pdf {
namespace {

constexpr std::size_t kMaxKnownWords = 500'000;

bool is_letter(char32_t c) {
  const utf8proc_category_t category = utf8proc_category(static_cast<utf8proc_int32_t>(c));
  return category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO;
}

bool is_lower(char32_t c) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(c)) == UTF8PROC_CATEGORY_LL;
}

bool is_hyphen(char32_t c) { return c == U'-' || c == 0x2010 || c == 0xAD; }

using Text = std::vector<char32_t>;

/// Words with a hyphen inside that stand somewhere in the middle of a line.
class HyphenatedWords {
 public:
  void read(const Text& line) {
    std::size_t start = 0;
    for (std::size_t i = 0; i <= line.size(); ++i) {
      const bool part =
          i < line.size() && (is_letter(line[i]) || line[i] == U'-' || line[i] == 0x2010);
      if (part) continue;
      if (i < line.size() && i > start) remember(line, start, i);
      start = i + 1;
    }
  }

  bool contains(const Text& left, const Text& right) const {
    return words_.count(utf8::encode(left) + "-" + utf8::encode(right)) > 0;
  }

 private:
  void remember(const Text& line, std::size_t start, std::size_t end) {
    if (end - start < 3) return;  // too short for letters around a hyphen
    const auto hyphen =
        std::find_if(line.begin() + static_cast<std::ptrdiff_t>(start + 1),
                     line.begin() + static_cast<std::ptrdiff_t>(end - 1), is_hyphen);
    if (hyphen == line.begin() + static_cast<std::ptrdiff_t>(end - 1)) return;
    if (words_.size() >= kMaxKnownWords) return;
    Text word(line.begin() + static_cast<std::ptrdiff_t>(start),
              line.begin() + static_cast<std::ptrdiff_t>(end));
    std::replace(word.begin(), word.end(), char32_t{0x2010}, U'-');
    words_.insert(utf8::encode(word));
  }

  std::unordered_set<std::string> words_;
};

/// The letters at the end of a line before its hyphen, or at the start of the next one.
Text word_before(const Text& line, std::size_t end) {
  std::size_t start = end;
  while (start > 0 && is_letter(line[start - 1])) --start;
  return {line.begin() + static_cast<std::ptrdiff_t>(start),
          line.begin() + static_cast<std::ptrdiff_t>(end)};
}

Text word_after(const Text& line) {
  std::size_t end = 0;
  while (end < line.size() && is_letter(line[end])) ++end;
  return {line.begin(), line.begin() + static_cast<std::ptrdiff_t>(end)};
}

/// "Haupt- und Nebenstrom": the hyphen stands for a part of the word, the next word is whole.
bool is_conjunction(const Text& word) {
  static constexpr std::array<std::string_view, 12> kConjunctions = {
      "und", "oder", "bzw", "sowie", "bis", "and", "or", "to", "et", "ou", "y", "o"};
  const std::string text = utf8::encode(word);
  return std::find(kConjunctions.begin(), kConjunctions.end(), text) != kConjunctions.end();
}

/// Writes pages one after the other.
class Assembler {
 public:
  Assembler(const DocumentInfo& info, const std::vector<PageRecord>& pages)
      : info_(info), pages_(pages) {}

  Document run() {
    document_.format = Format::pdf;
    document_.paged = true;
    document_.title = info_.title;
    document_.problems = info_.problems;
    for (std::string& loss : describe_losses(pages_)) {
      document_.problems.push_back(std::move(loss));
    }
    for (const PageRecord& page : pages_) {
      for (const TextBlock& block : page.blocks) {
        for (const TextLine& line : block.lines) hyphenated_.read(utf8::decode(line.text));
      }
    }
    for (std::size_t i = 0; i < pages_.size(); ++i) add_page(i);
    mark_furniture(lines_, pages_.size());
    document_.headings = find_headings(info_, lines_);
    return std::move(document_);
  }

 private:
  void add_page(std::size_t index) {
    const PageRecord& record = pages_[index];
    Text text;
    for (std::size_t b = 0; b < record.blocks.size(); ++b) {
      if (!text.empty()) text.insert(text.end(), {U'\n', U'\n'});
      add_block(text, record.blocks[b], index, b);
    }
    Page page;
    page.label = record.label;
    page.state = record.state;
    page.note = record.note;
    page.unmapped_glyphs = record.unmapped_glyphs;
    page.text = utf8::encode(text);
    position_ += text.size() + 1;  // and U+000C
    document_.pages.push_back(std::move(page));
  }

  void add_block(Text& text, const TextBlock& block, std::size_t page, std::size_t block_index) {
    std::vector<Text> lines;
    for (const TextLine& line : block.lines) {
      lines.push_back(utf8::decode(line.text));
      // Neither may come from a page, whatever its fonts say.
      std::replace(lines.back().begin(), lines.back().end(), U'\f', U' ');
      std::replace(lines.back().begin(), lines.back().end(), U'\n', U' ');
      std::replace(lines.back().begin(), lines.back().end(), U'\0', U' ');
    }
    bool first = true;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (i + 1 < lines.size() && !block.lines[i].row && !block.lines[i + 1].row) {
        join_hyphen(lines[i], lines[i + 1]);
      }
      Text& line = lines[i];
      line.erase(std::remove(line.begin(), line.end(), char32_t{0xAD}), line.end());
      if (line.empty()) continue;
      if (!first) text.push_back(U'\n');
      first = false;
      lines_.push_back({&block.lines[i], utf8::encode(line), page, block_index, i,
                        position_ + text.size(), false});
      text.insert(text.end(), line.begin(), line.end());
    }
  }

  /// A word that is broken over two lines goes to the first one.
  void join_hyphen(Text& line, Text& next) const {
    if (line.size() < 2 || next.empty() || !is_hyphen(line.back())) return;
    const bool soft = line.back() == 0xAD;
    const char32_t before = line[line.size() - 2];
    if (!is_letter(before)) return;
    if (!soft && (!is_lower(before) || !is_lower(next.front()))) return;
    const Text left = word_before(line, line.size() - 1);
    const Text right = word_after(next);
    if (!soft && is_conjunction(right)) return;
    if (soft || !hyphenated_.contains(left, right)) line.pop_back();
    std::size_t taken = 0;
    while (taken < next.size() && next[taken] != U' ') ++taken;
    line.insert(line.end(), next.begin(), next.begin() + static_cast<std::ptrdiff_t>(taken));
    while (taken < next.size() && next[taken] == U' ') ++taken;
    next.erase(next.begin(), next.begin() + static_cast<std::ptrdiff_t>(taken));
  }

  const DocumentInfo& info_;
  const std::vector<PageRecord>& pages_;
  Document document_;
  HyphenatedWords hyphenated_;
  std::vector<PlacedLine> lines_;
  std::size_t position_ = 0;
};

}  // namespace

Document assemble(const DocumentInfo& info, const std::vector<PageRecord>& pages) {
  return Assembler(info, pages).run();
}

}  // namespace lore::ingest::pdf
