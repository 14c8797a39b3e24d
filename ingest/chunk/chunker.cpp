#include <algorithm>
#include <string>

#include "base/utf8.hpp"
#include "ingest/chunk/boundaries.hpp"
#include "ingest/chunk/code_points.hpp"
#include "ingest/chunk/cut.hpp"
#include "ingest/chunk/headings.hpp"
#include "ingest/chunk/plan.hpp"
#include "ingest/chunk/trim.hpp"
#include "ingest/ingest.hpp"
#include "lore/error.hpp"

namespace lore::ingest {
namespace {

constexpr std::size_t kMinimumBody = 8;  // tokens; below it no sentence fits
// A tokenizer may give one token for a word of any length, or none for what it does not know.
constexpr std::size_t kMaxBytesPerToken = 32;

// The tokens that a model adds to every text. Throws where a chunk would hold nothing else.
std::size_t added_tokens(const ChunkOptions& options, CountTokens count_tokens) {
  const std::size_t added = count_tokens("");
  if (options.max_tokens < added + kMinimumBody) {
    throw Error(ErrorCode::invalid_argument,
                "chunks of " + std::to_string(options.max_tokens) +
                    " tokens leave no room for text: use --chunk-tokens " +
                    std::to_string(added + kMinimumBody) + " or more");
  }
  return added;
}

// One call of chunk(). Every text is counted once by segments, which is enough to plan, and once
// more as the finished chunk, which proves that it is within the limit.
class Chunker {
 public:
  Chunker(const Document& document, const ChunkOptions& options, CountTokens count_tokens)
      : options_(options),
        count_tokens_(count_tokens),
        added_(added_tokens(options, count_tokens)),
        text_(document.text()),
        positions_(text_),
        sections_(document, added_ + (options.max_tokens - added_) / 4, count_tokens) {
    page_starts_.push_back(0);
    for (std::size_t at = text_.find('\f'); at != std::string::npos;
         at = text_.find('\f', at + 1)) {
      page_starts_.push_back(at + 1);
    }
  }

  std::vector<Chunk> run(const Document& document) {
    const std::vector<HeadingMark> marks = heading_marks(document);
    const bool fences = document.format == Format::markdown || document.format == Format::text;
    const std::vector<Segment> segments = find_segments(text_, marks, fences);
    const std::vector<std::size_t> sections = sections_of(segments, marks);
    for (std::size_t i = 0; i < segments.size(); ++i) {
      const std::size_t next = i + 1 < segments.size() ? segments[i + 1].begin : text_.size();
      take(segments[i], next, sections[i]);
    }
    const std::vector<std::size_t> starts = plan_chunks(pieces_);
    for (std::size_t i = 0; i < starts.size(); ++i) {
      add(starts[i], i + 1 < starts.size() ? starts[i + 1] : pieces_.size());
    }
    return std::move(chunks_);
  }

 private:
  std::vector<HeadingMark> heading_marks(const Document& document) const {
    std::vector<HeadingMark> marks;
    std::size_t offset = 0;
    std::size_t position = 0;
    for (const Heading& heading : document.headings) {
      const std::size_t ahead = heading.start > position ? heading.start - position : 0;
      offset += utf8::byte_offset(std::string_view(text_).substr(offset), ahead);
      position += ahead;
      marks.push_back({offset, std::max(heading.level, 1)});
    }
    return marks;
  }

  // The section of every segment. A heading right above a deeper one counts to that one's section:
  // a chunk that starts with both stands below both.
  static std::vector<std::size_t> sections_of(std::span<const Segment> segments,
                                              std::span<const HeadingMark> marks) {
    std::vector<std::size_t> sections;
    std::size_t section = 0;
    for (const Segment& segment : segments) {
      const std::size_t reach = segment.heading_level > 0 ? segment.end : segment.begin + 1;
      while (section < marks.size() && marks[section].begin < reach) ++section;
      sections.push_back(section);
    }
    for (std::size_t i = segments.size(); i-- > 1;) {
      const int level = segments[i - 1].heading_level;
      if (level > 0 && segments[i].heading_level > level) sections[i - 1] = sections[i];
    }
    return sections;
  }

  std::size_t count_body(std::size_t begin, std::size_t end) const {
    const std::size_t tokens = count_tokens_(std::string_view(text_).substr(begin, end - begin));
    return tokens > added_ ? tokens - added_ : 0;
  }

  std::size_t budget_of(std::size_t section) {
    return options_.max_tokens -
           std::min(options_.max_tokens - 1, sections_.context(section).tokens);
  }

  // Makes pieces of a segment: one, or several where it is too long for a chunk of its own.
  void take(const Segment& segment, std::size_t next, std::size_t section) {
    const std::size_t budget = budget_of(section);
    const std::size_t bytes = segment.end - segment.begin;
    // White space may cost tokens too; a blank line stands for however much there is.
    const std::size_t tokens = count_body(segment.begin, std::min(next, segment.end + 2));
    if (tokens <= budget && bytes <= budget * kMaxBytesPerToken) {
      keep(segment, tokens, section);
      return;
    }
    // Nine tenths of what the average says, so that most parts fit at the first attempt.
    const std::size_t limit =
        std::min(budget * kMaxBytesPerToken, bytes * budget / std::max(tokens, budget) * 9 / 10);
    Segment part = segment;
    std::size_t word_end = 0;  // of a word that is itself too long, while inside it
    while (part.begin < segment.end) {
      std::size_t part_tokens = 0;
      const Cut cut = fitting_cut(part.begin, segment.end, limit, budget, word_end, part_tokens);
      part.end = trimmed_end(text_, part.begin, cut.at);
      keep(part, part_tokens, section);
      part.begin = trimmed_begin(text_, cut.at, segment.end);
      part.before = cut.kind;
      part.heading_level = 0;
    }
  }

  // Cuts text[begin, end) after at most about `limit` bytes, so that the first part is within
  // `budget` tokens, or is a single code point. `tokens` becomes those of the first part.
  Cut fitting_cut(std::size_t begin, std::size_t end, std::size_t limit, std::size_t budget,
                  std::size_t& word_end, std::size_t& tokens) const {
    for (;;) {
      limit = std::max<std::size_t>(limit, 1);
      const bool inside_word = begin < word_end;
      const Cut cut = inside_word ? find_cut_inside_word(text_, begin, word_end, limit)
                                  : find_cut(text_, begin, end, limit);
      const std::size_t part = trimmed_end(text_, begin, cut.at);
      if (part - begin <= budget * kMaxBytesPerToken) {
        tokens = count_body(begin, part);
        if (tokens <= budget || (inside_word && limit == 1)) return cut;
      }
      if (!inside_word && part - begin > limit) {
        word_end = part;
      } else {
        limit = std::min(limit, part - begin) / 2;
      }
    }
  }

  void keep(const Segment& segment, std::size_t tokens, std::size_t section) {
    const std::size_t budget = budget_of(section);
    Piece piece;
    piece.segment = segment;
    piece.tokens = tokens;
    piece.budget = budget - std::min(options_.overlap_tokens, budget / 2);
    piece.introduces = text_[segment.end - 1] == ':';
    pieces_.push_back(piece);
    piece_sections_.push_back(section);
  }

  // Adds pieces [first, last) as a chunk, or as several where the sum of their tokens was too low.
  void add(std::size_t first, std::size_t last) {
    const std::size_t section = piece_sections_[first];
    const std::size_t end = pieces_[last - 1].segment.end;
    for (std::size_t start = overlap_start(first); start <= first;) {
      if (add_if_fits(pieces_[start].segment.begin, end, section)) {
        previous_first_ = first;
        return;
      }
      start += (first - start) / 2 + 1;
    }
    if (last - first > 1) {
      const std::size_t middle = best_split(first, last);
      add(first, middle);
      add(middle, last);
    } else {
      add_in_halves(pieces_[first].segment.begin, end, section);
      previous_first_ = first;
    }
  }

  // The piece from which a chunk at `first` repeats the end of the chunk before. Nothing is
  // repeated across a heading.
  std::size_t overlap_start(std::size_t first) const {
    std::size_t start = first;
    if (options_.overlap_tokens == 0) return start;
    std::size_t tokens = 0;
    while (start > previous_first_ + 1 && pieces_[start].segment.before != Break::heading) {
      tokens += pieces_[start - 1].tokens;
      if (tokens > options_.overlap_tokens) break;
      --start;
    }
    return start;
  }

  // The strongest break near the middle.
  std::size_t best_split(std::size_t first, std::size_t last) const {
    const std::size_t quarter = (last - first) / 4;
    std::size_t best = (first + last) / 2;
    for (std::size_t i = first + 1 + quarter; i + quarter < last; ++i) {
      if (pieces_[i].segment.before < pieces_[best].segment.before) best = i;
    }
    return best;
  }

  // Cuts text[begin, end) until its parts fit.
  void add_in_halves(std::size_t begin, std::size_t end, std::size_t section) {
    if (add_if_fits(begin, end, section)) return;
    const std::size_t half = (end - begin + 1) / 2;
    Cut cut = find_cut(text_, begin, end, half);
    if (cut.at >= end) cut = find_cut_inside_word(text_, begin, end, half);
    if (cut.at >= end) {
      throw Error(ErrorCode::invalid_argument,
                  "chunks of " + std::to_string(options_.max_tokens) +
                      " tokens cannot hold a single character of this text: use a larger "
                      "--chunk-tokens");
    }
    add_in_halves(begin, trimmed_end(text_, begin, cut.at), section);
    add_in_halves(cut.at, end, section);
  }

  bool add_if_fits(std::size_t begin, std::size_t end, std::size_t section) {
    Chunk chunk;
    chunk.context = sections_.context(section).line;
    chunk.body = text_.substr(begin, end - begin);
    chunk.tokens = count_tokens_(chunk.context + "\n" + chunk.body);
    if (chunk.tokens > options_.max_tokens) return false;
    chunk.start = positions_.position(begin);
    chunk.end = positions_.position(end);
    chunk.page = page_at(begin);
    chunk.page_end = page_at(end - 1);
    chunk.heading = sections_.path(section);
    chunks_.push_back(std::move(chunk));
    return true;
  }

  std::size_t page_at(std::size_t offset) const {
    const auto next = std::upper_bound(page_starts_.begin(), page_starts_.end(), offset);
    return static_cast<std::size_t>(next - page_starts_.begin()) - 1;
  }

  const ChunkOptions& options_;
  CountTokens count_tokens_;
  std::size_t added_;  // tokens of the empty text
  std::string text_;
  CodePointIndex positions_;
  Sections sections_;
  std::vector<std::size_t> page_starts_;  // bytes

  std::vector<Piece> pieces_;
  std::vector<std::size_t> piece_sections_;
  std::size_t previous_first_ = 0;  // first piece of the chunk before, not counting its overlap
  std::vector<Chunk> chunks_;
};

}  // namespace

std::vector<Chunk> chunk(const Document& document, const ChunkOptions& options,
                         CountTokens count_tokens) {
  return Chunker(document, options, count_tokens).run(document);
}

}  // namespace lore::ingest
