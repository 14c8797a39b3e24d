#include "ingest/chunk/pieces.hpp"

#include <algorithm>

#include "base/utf8.hpp"
#include "ingest/chunk/boundaries.hpp"
#include "ingest/chunk/trim.hpp"

namespace lore::ingest {
namespace {

// A tokenizer may give one token for a word of any length, or none for what it does not know.
constexpr std::size_t kMaxBytesPerToken = 32;

// Longer than any running title.
constexpr std::size_t kMaxRunningTitle = 100;

// For a segment that belongs to what follows it the level of the heading that it is, or of the
// heading that it stands above as the running title at the top of a page. 0 for all others.
std::vector<int> find_leads(std::span<const Segment> segments) {
  std::vector<int> leads;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const Segment& segment = segments[i];
    const bool title = (i == 0 || segment.before == Break::page) &&
                       segment.end - segment.begin <= kMaxRunningTitle;
    const int below = title && i + 1 < segments.size() ? segments[i + 1].heading_level : 0;
    leads.push_back(segment.heading_level > 0 ? segment.heading_level : below);
  }
  return leads;
}

// The section of every segment. A heading right above a deeper one counts to that one's section,
// and so does a running title: a chunk that starts with both stands below both.
std::vector<std::size_t> sections_of(std::span<const Segment> segments,
                                     std::span<const HeadingMark> marks,
                                     const std::vector<int>& leads) {
  std::vector<std::size_t> sections;
  std::size_t section = 0;
  for (const Segment& segment : segments) {
    const std::size_t reach = segment.heading_level > 0 ? segment.end : segment.begin + 1;
    while (section < marks.size() && marks[section].begin < reach) ++section;
    sections.push_back(section);
  }
  for (std::size_t i = segments.size(); i-- > 1;) {
    if (leads[i - 1] > 0 && segments[i].heading_level > segments[i - 1].heading_level) {
      sections[i - 1] = sections[i];
    }
  }
  return sections;
}

// A table row with its cells parted by " | ", whatever parts them in the text.
std::string cells_in_line(std::string_view row) {
  std::string line;
  for (std::size_t begin = 0; begin <= row.size();) {
    const std::size_t end = std::min(row.find_first_of("\t|", begin), row.size());
    const std::string_view cell = trimmed(row.substr(begin, end - begin));
    if (!cell.empty()) line += (line.empty() ? "" : " | ") + std::string(cell);
    begin = end + 1;
  }
  return line;
}

}  // namespace

PieceMaker::PieceMaker(std::string_view text, const ChunkOptions& options, std::size_t added,
                       Sections& sections, CountTokens count_tokens)
    : text_(text),
      options_(options),
      added_(added),
      sections_(sections),
      count_tokens_(count_tokens),
      heads_(1) {}

std::vector<Piece> PieceMaker::make(const Document& document) {
  const std::vector<HeadingMark> marks = heading_marks(document);
  const bool fences = document.format == Format::markdown || document.format == Format::text;
  const std::vector<Segment> segments = find_segments(text_, marks, fences);
  const std::vector<int> leads = find_leads(segments);
  const std::vector<std::size_t> sections = sections_of(segments, marks, leads);
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const std::size_t next = i + 1 < segments.size() ? segments[i + 1].begin : text_.size();
    take(segments[i], next, sections[i], leads[i]);
  }
  return std::move(pieces_);
}

std::vector<HeadingMark> PieceMaker::heading_marks(const Document& document) const {
  std::vector<HeadingMark> marks;
  std::size_t offset = 0;
  std::size_t position = 0;
  for (const Heading& heading : document.headings) {
    const std::size_t ahead = heading.start > position ? heading.start - position : 0;
    offset += utf8::byte_offset(text_.substr(offset), ahead);
    position += ahead;
    marks.push_back({offset, std::max(heading.level, 1)});
  }
  return marks;
}

std::size_t PieceMaker::count_body(std::string_view text) const {
  const std::size_t tokens = count_tokens_(text);
  return tokens > added_ ? tokens - added_ : 0;
}

std::size_t PieceMaker::budget_of(std::size_t section) {
  return options_.max_tokens - std::min(options_.max_tokens - 1, sections_.context(section).tokens);
}

// The index of the head of the table that `row`, the segment in hand, goes on with.
std::size_t PieceMaker::head_of(const Segment& row) {
  if (row.before != Break::row) return 0;
  if (previous_.before == Break::row) return table_head_;
  TableHead head;
  head.line = cells_in_line(text_.substr(previous_.begin, previous_.end - previous_.begin));
  head.tokens = count_body(" > " + head.line);
  if (head.tokens > (options_.max_tokens - added_) / 4) return 0;
  heads_.push_back(std::move(head));
  return heads_.size() - 1;
}

// Makes pieces of a segment: one, or several where it is too long for a chunk of its own.
void PieceMaker::take(const Segment& segment, std::size_t next, std::size_t section, int leads) {
  table_head_ = head_of(segment);
  previous_ = segment;
  const std::size_t budget = budget_of(section);
  const std::size_t bytes = segment.end - segment.begin;
  // White space may cost tokens too; a blank line stands for however much there is.
  const std::size_t counted = std::min(next, segment.end + 2) - segment.begin;
  Piece piece;
  piece.segment = segment;
  piece.section = section;
  piece.tokens = count_body(text_.substr(segment.begin, counted));
  if (piece.tokens <= budget && bytes <= budget * kMaxBytesPerToken) {
    piece.leads = leads;
    piece.head = table_head_;
    keep(piece);
    return;
  }
  // Nine tenths of what the average says, so that most parts fit at the first attempt.
  const std::size_t limit = std::min(budget * kMaxBytesPerToken,
                                     bytes * budget / std::max(piece.tokens, budget) * 9 / 10);
  std::size_t word_end = 0;  // of a word that is itself too long, while inside it
  Segment& part = piece.segment;
  while (part.begin < segment.end) {
    const Cut cut = fitting_cut(part.begin, segment.end, limit, budget, word_end, piece.tokens);
    part.end = trimmed_end(text_, part.begin, cut.at);
    keep(piece);
    part.begin = trimmed_begin(text_, cut.at, segment.end);
    part.before = cut.kind;
    part.heading_level = 0;
  }
}

// Cuts text[begin, end) after at most about `limit` bytes, so that the first part is within
// `budget` tokens, or is a single code point. `tokens` becomes those of the first part.
Cut PieceMaker::fitting_cut(std::size_t begin, std::size_t end, std::size_t limit,
                            std::size_t budget, std::size_t& word_end, std::size_t& tokens) const {
  for (;;) {
    limit = std::max<std::size_t>(limit, 1);
    const bool inside_word = begin < word_end;
    const Cut cut = inside_word ? find_cut_inside_word(text_, begin, word_end, limit)
                                : find_cut(text_, begin, end, limit);
    const std::size_t part = trimmed_end(text_, begin, cut.at);
    if (part - begin <= budget * kMaxBytesPerToken) {
      tokens = count_body(text_.substr(begin, part - begin));
      if (tokens <= budget || (inside_word && limit == 1)) return cut;
    }
    if (!inside_word && part - begin > limit) {
      word_end = part;
    } else {
      limit = std::min(limit, part - begin) / 2;
    }
  }
}

// Takes a piece, with what its place in the text says of it.
void PieceMaker::keep(Piece piece) {
  const std::size_t budget = budget_of(piece.section);
  const std::size_t taken = options_.overlap_tokens + heads_[piece.head].tokens;
  piece.budget = budget - std::min(taken, budget / 2);
  piece.introduces = text_[piece.segment.end - 1] == ':';
  pieces_.push_back(piece);
}

}  // namespace lore::ingest
