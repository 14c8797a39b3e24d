#include "ingest/chunk/boundaries.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "ingest/chunk/sentences.hpp"
#include "ingest/chunk/trim.hpp"

namespace lore::ingest {
namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// "-", "•", "3.", "(b)", "iv)" and the like before a space.
bool starts_list_item(std::string_view line) {
  const std::size_t space = line.find_first_of(" \t");
  if (space == std::string_view::npos || space == 0) return false;
  std::string_view marker = line.substr(0, space);
  for (const std::string_view bullet :
       {"-", "*", "+", "•", "◦", "▪", "‣", "–", "—", "o", "·", "■", "□", "☐", "☑", "✓", "➢", "►"}) {
    if (marker == bullet) return true;
  }
  const char last = marker.back();
  if (last != '.' && last != ')') return false;
  marker.remove_suffix(1);
  if (!marker.empty() && marker.front() == '(') marker.remove_prefix(1);
  if (marker.empty() || marker.size() > 8) return false;
  const bool numbers =
      std::all_of(marker.begin(), marker.end(), [](char c) { return is_digit(c) || c == '.'; }) &&
      is_digit(marker.front());
  const bool roman = marker.find_first_not_of("ivxIVX") == std::string_view::npos;
  return numbers || roman || (marker.size() == 1 && is_letter(marker.front()));
}

// A list item's number, which ends with a full stop but is no sentence.
bool is_bare_marker(std::string_view sentence) {
  return starts_list_item(sentence) && trimmed(sentence).find_first_of(" \t\n") == sentence.npos;
}

// Cells parted by tabs, bars, or the wide gaps of text laid out by hand.
bool is_table_row(std::string_view line) {
  if (line.size() > 1 && line.front() == '|') return true;
  for (const std::string_view separator : {"\t", " | ", "   "}) {
    if (line.find(separator) != std::string_view::npos) return true;
  }
  return false;
}

// The underline of a Markdown heading.
bool is_underline(std::string_view line) {
  return !line.empty() && (line.find_first_not_of('=') == std::string_view::npos ||
                           line.find_first_not_of('-') == std::string_view::npos);
}

// The fence that opens or closes a code block: three or more of one of ` and ~.
std::size_t fence_length(std::string_view line, char& kind) {
  if (line.empty() || (line.front() != '`' && line.front() != '~')) return 0;
  kind = line.front();
  const std::size_t end = line.find_first_not_of(kind);
  const std::size_t length = end == std::string_view::npos ? line.size() : end;
  return length >= 3 ? length : 0;
}

class Segmenter {
 public:
  Segmenter(std::string_view text, std::span<const HeadingMark> headings, bool fences)
      : text_(text), headings_(headings), fences_(fences) {}

  std::vector<Segment> run() {
    for (std::size_t begin = 0; begin <= text_.size();) {
      const std::size_t end = std::min(text_.find_first_of("\n\f", begin), text_.size());
      take_line(begin, end);
      begin = end + 1;
      if (end < text_.size() && text_[end] == '\f') end_page(begin);
    }
    flush();
    return std::move(segments_);
  }

 private:
  enum class Previous { other, heading, row };  // what the line before was

  void take_line(std::size_t begin, std::size_t end) {
    const std::string_view line = trimmed(text_.substr(begin, end - begin));
    const Previous previous = std::exchange(previous_, Previous::other);
    char fence_kind = 0;
    const std::size_t fence = fences_ ? fence_length(line, fence_kind) : 0;
    const HeadingMark* heading = heading_at(begin, end);
    if (fence_ > 0) {
      open_end_ = end;
      const bool bare = line.find_first_not_of(fence_kind) == std::string_view::npos;
      if (fence >= fence_ && fence_kind == fence_kind_ && bare) flush();
    } else if (line.empty()) {
      flush();
    } else if (heading != nullptr) {
      flush();
      emit(begin, end, Break::heading, heading->level);
      previous_ = Previous::heading;
    } else if (previous == Previous::heading && is_underline(line)) {
      segments_.back().end = trimmed_end(text_, begin, end);
    } else if (fence > 0) {
      flush();
      open(begin, end, Break::paragraph);
      fence_ = fence;
      fence_kind_ = fence_kind;
    } else if (is_table_row(line)) {
      flush();
      emit(begin, end, previous == Previous::row ? Break::row : Break::paragraph, 0);
      previous_ = Previous::row;
    } else if (starts_list_item(line)) {
      flush();
      open(begin, end, Break::list_item);
    } else if (open_begin_ == kNone) {
      open(begin, end, Break::paragraph);
    } else {
      open_end_ = end;
    }
  }

  void end_page(std::size_t next) {
    flush();
    page_break_ = continues_sentence(next) ? Break::page_inside : Break::page;
    previous_ = Previous::other;
  }

  // A page that starts in lower case after one that ended without a full stop.
  bool continues_sentence(std::size_t next) const {
    if (segments_.empty() || segments_.back().heading_level > 0) return false;
    const std::size_t start = text_.find_first_not_of(" \t\n", next);
    if (start == std::string_view::npos) return false;
    const char last = text_[segments_.back().end - 1];
    const char first = text_[start];
    return first >= 'a' && first <= 'z' && last != '.' && last != '!' && last != '?';
  }

  const HeadingMark* heading_at(std::size_t begin, std::size_t end) {
    while (heading_ < headings_.size() && headings_[heading_].begin < begin) ++heading_;
    if (heading_ == headings_.size() || headings_[heading_].begin >= end) return nullptr;
    return &headings_[heading_++];
  }

  void open(std::size_t begin, std::size_t end, Break kind) {
    open_begin_ = begin;
    open_end_ = end;
    open_break_ = kind;
  }

  // Ends what is in hand: a code block as one segment, a paragraph or list item by sentences.
  void flush() {
    if (open_begin_ == kNone) return;
    std::size_t begin = open_begin_;
    Break kind = open_break_;
    if (fence_ == 0) {
      for (const std::size_t start :
           sentence_starts(text_.substr(open_begin_, open_end_ - open_begin_))) {
        if (begin == open_begin_ && is_bare_marker(text_.substr(begin, start))) continue;
        emit(begin, open_begin_ + start, kind, 0);
        begin = open_begin_ + start;
        kind = Break::sentence;
      }
    }
    emit(begin, open_end_, kind, 0);
    open_begin_ = kNone;
    fence_ = 0;
  }

  void emit(std::size_t begin, std::size_t end, Break kind, int level) {
    begin = trimmed_begin(text_, begin, end);
    end = trimmed_end(text_, begin, end);
    if (begin == end) return;
    if (kind != Break::heading && page_break_) kind = *page_break_;
    page_break_.reset();
    segments_.push_back({begin, end, kind, level});
  }

  std::string_view text_;
  std::span<const HeadingMark> headings_;
  bool fences_;
  std::vector<Segment> segments_;
  std::size_t heading_ = 0;  // the first that is not behind

  std::size_t open_begin_ = kNone;  // the paragraph, list item or code block in hand
  std::size_t open_end_ = 0;
  Break open_break_ = Break::paragraph;
  std::size_t fence_ = 0;  // length of the fence that opened the code block in hand, or 0
  char fence_kind_ = 0;
  std::optional<Break> page_break_;  // what the next segment follows, after the end of a page
  Previous previous_ = Previous::other;
};

}  // namespace

std::vector<Segment> find_segments(std::string_view text, std::span<const HeadingMark> headings,
                                   bool fences) {
  return Segmenter(text, headings, fences).run();
}

}  // namespace lore::ingest
