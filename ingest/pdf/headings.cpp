// Running headers and footers, and headings.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>

#include "base/utf8.hpp"
#include "ingest/pdf/assemble.hpp"

namespace lore::ingest::pdf {
namespace {

constexpr float kEdge = 0.12f;          // of the page's height
constexpr std::size_t kRepeats = 3;     // pages
constexpr std::size_t kMaxTitle = 150;  // code points of a heading
constexpr std::size_t kMaxTitleLines = 3;
constexpr int kMaxLevels = 4;  // of sizes

/// Small letters, single spaces, digits and what is no letter left out: for comparing.
std::u32string folded(const std::string& text, bool keep_digits) {
  std::u32string out;
  for (const char32_t c : utf8::decode(text)) {
    if (c >= U'A' && c <= U'Z') {
      out.push_back(c - U'A' + U'a');
    } else if (c >= U'0' && c <= U'9') {
      out.push_back(keep_digits ? c : U'#');
    } else if (c > 0x7F || (c >= U'a' && c <= U'z')) {
      out.push_back(c);
    }
  }
  return out;
}

bool at_edge(const TextLine& line) { return line.bottom < kEdge || line.top > 1 - kEdge; }

/// A block, or a line of one, that could be a heading.
struct Candidate {
  const PlacedLine* first = nullptr;
  std::string title;
  float size = 0;
  bool bold = false;
  std::size_t lines = 1;
};

std::string without_tabs(std::string text) {
  std::replace(text.begin(), text.end(), '\t', ' ');
  return text;
}

bool has_letters(const std::string& text) {
  std::size_t letters = 0;
  for (const char32_t c : utf8::decode(text)) {
    if (c > 0x7F || (c >= U'a' && c <= U'z') || (c >= U'A' && c <= U'Z')) ++letters;
  }
  return letters >= 2;
}

/// "3.1", "A.2", "IV." in a cell of its own, then the title: a numbered heading whose gap looks
/// like the border of a cell.
bool is_numbered_title(const PlacedLine& placed) {
  const std::size_t tab = placed.text.find('\t');
  if (!placed.line->row || tab == std::string::npos || tab > 10) return false;
  if (placed.text.find('\t', tab + 1) != std::string::npos) return false;
  const std::string number = placed.text.substr(0, tab);
  const bool letters_first =
      number.find_first_not_of("IVX.") == std::string::npos ||
      (number[0] >= 'A' && number[0] <= 'Z' && number.size() > 1 && number[1] == '.');
  const std::size_t rest = number.find_first_not_of("0123456789.", letters_first ? 1 : 0);
  return number.find_first_not_of("IVX.") == std::string::npos || rest == std::string::npos;
}

/// Blocks of at most kMaxTitleLines lines that could be a heading by their shape.
std::vector<Candidate> candidates(const std::vector<PlacedLine>& lines) {
  std::vector<Candidate> out;
  for (std::size_t i = 0; i < lines.size();) {
    std::size_t end = i + 1;
    while (end < lines.size() && lines[end].page == lines[i].page &&
           lines[end].block == lines[i].block) {
      ++end;
    }
    Candidate candidate{&lines[i], {}, lines[i].line->size, lines[i].line->bold, end - i};
    for (std::size_t k = i; k < end; ++k) {
      if (k > i) candidate.title += ' ';
      candidate.title += without_tabs(lines[k].text);
      candidate.size = std::max(candidate.size, lines[k].line->size);
    }
    const bool fits = end - i <= kMaxTitleLines && !lines[i].furniture &&
                      utf8::length(candidate.title) <= kMaxTitle && has_letters(candidate.title) &&
                      !lines[i].line->row;
    if (fits) out.push_back(std::move(candidate));
    for (std::size_t k = i; k < end; ++k) {
      const PlacedLine& placed = lines[k];
      if (placed.furniture || !is_numbered_title(placed) || placed.text.size() > kMaxTitle)
        continue;
      if (has_letters(placed.text)) {
        out.push_back(
            {&placed, without_tabs(placed.text), placed.line->size, placed.line->bold, 1});
      }
    }
    i = end;
  }
  return out;
}

/// The size that most characters of the document have.
float body_size(const std::vector<PlacedLine>& lines) {
  std::map<int, std::size_t> counts;  // by tenths of a point
  for (const PlacedLine& placed : lines) {
    const float size = std::clamp(placed.line->size, 0.0f, 1e6f);
    counts[static_cast<int>(std::lround(size * 10))] += placed.text.size();
  }
  std::pair<int, std::size_t> best{0, 0};
  for (const auto& entry : counts) {
    if (entry.second > best.second) best = entry;
  }
  return static_cast<float>(best.first) / 10;
}

std::vector<Heading> headings_by_size(const std::vector<PlacedLine>& lines) {
  const float body = body_size(lines);
  if (body <= 0) return {};
  std::size_t bold_characters = 0, all_characters = 0;
  for (const PlacedLine& placed : lines) {
    all_characters += placed.text.size();
    if (placed.line->bold) bold_characters += placed.text.size();
  }
  const bool bold_means_something = bold_characters * 5 < all_characters;
  std::vector<Candidate> chosen;
  for (Candidate& candidate : candidates(lines)) {
    const bool larger = candidate.size > 1.12f * body;
    const char last = candidate.title.back();
    const bool sentence = last == '.' || last == ',' || last == ';' || last == ':';
    const bool strong = candidate.bold && bold_means_something && candidate.size > 0.95f * body &&
                        !sentence && candidate.lines <= 2;
    if ((larger && last != ',' && last != ';') || strong) chosen.push_back(std::move(candidate));
  }
  // Sizes that lie close together are one level; bold text of the body's size is the lowest.
  std::set<int> sizes;
  const auto rank_key = [body](const Candidate& candidate) {
    return candidate.size > 1.12f * body ? static_cast<int>(std::lround(candidate.size)) : 0;
  };
  for (const Candidate& candidate : chosen) sizes.insert(-rank_key(candidate));
  std::map<int, int> level_of;
  int level = 0;
  for (const int size : sizes) level_of[-size] = std::min(++level, kMaxLevels);
  std::vector<Heading> out;
  for (const Candidate& candidate : chosen) {
    out.push_back({level_of[rank_key(candidate)], candidate.title, candidate.first->start});
  }
  return out;
}

/// How well a line fits a title of the outline; 0 where it does not.
int fit(const PlacedLine& placed, const std::u32string& own, const std::u32string& wanted) {
  const std::size_t at = own.find(wanted);
  // "2.1 Title" for "Title", or a title that goes on over the next line.
  const bool number_before =
      at != std::u32string::npos && at <= 8 &&
      own.substr(0, at).find_first_not_of(U"0123456789") == std::u32string::npos;
  int score = 0;
  if (own == wanted) {
    score = 4;
  } else if (number_before && own.size() == at + wanted.size()) {
    score = 3;
  } else if (own.size() >= 6 && wanted.rfind(own, 0) == 0) {
    score = 2;
  } else if (number_before && at == 0 && wanted.size() >= 6 && placed.index == 0) {
    score = 1;
  }
  return score > 0 && (placed.line->bold || placed.index == 0) ? score + 1 : score;
}

/// Lines by page, folded once, up to where a title could end.
class FoldedLines {
 public:
  explicit FoldedLines(const std::vector<PlacedLine>& lines) : lines_(lines) {
    for (std::size_t i = 0; i < lines.size(); ++i) {
      Range& range = ranges_.try_emplace(lines[i].page, Range{i, i, {}}).first->second;
      range.end = i + 1;
    }
  }

  /// The line of a page that fits a title best and is not taken; nullptr where none does.
  const PlacedLine* best(std::size_t page, const std::u32string& wanted) {
    const auto found = ranges_.find(page);
    if (found == ranges_.end()) return nullptr;
    Range& range = found->second;
    if (range.folded.empty()) fold(range);
    if (comparisons_ + range.folded.size() > kMaxComparisons) return nullptr;
    comparisons_ += range.folded.size();
    std::size_t best = range.end;
    int best_score = 0;
    for (std::size_t i = range.begin; i < range.end; ++i) {
      if (lines_[i].furniture || taken_.count(i) > 0) continue;
      const int score = fit(lines_[i], range.folded[i - range.begin], wanted);
      if (score <= best_score) continue;
      best = i;
      best_score = score;
    }
    if (best == range.end) return nullptr;
    taken_.insert(best);
    return &lines_[best];
  }

 private:
  struct Range {
    std::size_t begin, end;
    std::vector<std::u32string> folded;
  };

  void fold(Range& range) const {
    for (std::size_t i = range.begin; i < range.end; ++i) {
      range.folded.push_back(folded(lines_[i].text.substr(0, kMaxFolded), true));
    }
  }

  // An outline of thousands of entries that all lead to one page of thousands of lines would take
  // hours; real ones stay far below.
  static constexpr std::size_t kMaxComparisons = 5'000'000;
  static constexpr std::size_t kMaxFolded = 1'000;  // bytes of a line

  const std::vector<PlacedLine>& lines_;
  std::unordered_map<std::size_t, Range> ranges_;
  std::set<std::size_t> taken_;
  std::size_t comparisons_ = 0;
};

/// Finds each outline title on its page: as a block, a line, or a line's start.
std::vector<Heading> headings_by_outline(const DocumentInfo& info,
                                         const std::vector<PlacedLine>& lines) {
  FoldedLines folded_lines(lines);
  std::vector<Heading> out;
  for (const OutlineEntry& entry : info.outline) {
    const std::u32string wanted = folded(entry.title, true);
    if (wanted.empty()) continue;
    if (const PlacedLine* line = folded_lines.best(entry.page, wanted)) {
      out.push_back({entry.level, entry.title, line->start});
    }
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const Heading& a, const Heading& b) { return a.start < b.start; });
  return out;
}

}  // namespace

void mark_furniture(std::vector<PlacedLine>& lines, std::size_t page_count) {
  if (page_count < kRepeats) return;
  const auto key = [](const PlacedLine& placed) {
    std::u32string text = folded(placed.text, false);
    text.push_back(placed.line->top < 0.5f ? U'^' : U'_');
    return text;
  };
  std::map<std::u32string, std::set<std::size_t>> pages_of;
  for (const PlacedLine& placed : lines) {
    if (at_edge(*placed.line)) pages_of[key(placed)].insert(placed.page);
  }
  for (PlacedLine& placed : lines) {
    if (!at_edge(*placed.line)) continue;
    placed.furniture = pages_of[key(placed)].size() >= kRepeats;
  }
}

std::vector<Heading> find_headings(const DocumentInfo& info, const std::vector<PlacedLine>& lines) {
  std::vector<Heading> outline = headings_by_outline(info, lines);
  // An outline that only names a few places says less than the type sizes.
  const std::size_t enough =
      std::min<std::size_t>(3, std::max<std::size_t>(1, info.outline.size()));
  if (outline.size() >= enough && outline.size() * 2 >= info.outline.size()) return outline;
  return headings_by_size(lines);
}

}  // namespace lore::ingest::pdf
