#include <algorithm>
#include <string>

#include "ingest/chunk/code_points.hpp"
#include "ingest/chunk/cut.hpp"
#include "ingest/chunk/headings.hpp"
#include "ingest/chunk/pieces.hpp"
#include "ingest/chunk/plan.hpp"
#include "ingest/chunk/trim.hpp"
#include "ingest/ingest.hpp"
#include "lore/error.hpp"

namespace lore::ingest {
namespace {

constexpr std::size_t kMinimumBody = 8;  // tokens; below it no sentence fits

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
        sections_(document, added_ + (options.max_tokens - added_) / 4, count_tokens),
        maker_(text_, options, added_, sections_, count_tokens) {
    page_starts_.push_back(0);
    for (std::size_t at = text_.find('\f'); at != std::string::npos;
         at = text_.find('\f', at + 1)) {
      page_starts_.push_back(at + 1);
    }
  }

  std::vector<Chunk> run(const Document& document) {
    pieces_ = maker_.make(document);
    const std::vector<std::size_t> starts = plan_chunks(pieces_);
    for (std::size_t i = 0; i < starts.size(); ++i) {
      add(starts[i], i + 1 < starts.size() ? starts[i + 1] : pieces_.size());
    }
    return std::move(chunks_);
  }

 private:
  // Adds pieces [first, last) as a chunk, or as several where the sum of their tokens was too low.
  void add(std::size_t first, std::size_t last) {
    const std::size_t end = pieces_[last - 1].segment.end;
    for (std::size_t start = overlap_start(first); start <= first;) {
      if (add_if_fits(pieces_[start].segment.begin, end, pieces_[first])) {
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
      add_in_halves(pieces_[first].segment.begin, end, pieces_[first]);
      previous_first_ = first;
    }
  }

  // The piece from which a chunk at `first` repeats the end of the chunk before. Nothing is
  // repeated across a heading.
  std::size_t overlap_start(std::size_t first) const {
    std::size_t start = first;
    if (options_.overlap_tokens == 0) return start;
    std::size_t tokens = 0;
    while (start > previous_first_ + 1 && pieces_[start].leads == 0) {
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
  void add_in_halves(std::size_t begin, std::size_t end, const Piece& piece) {
    if (add_if_fits(begin, end, piece)) return;
    const std::size_t half = (end - begin + 1) / 2;
    Cut cut = find_cut(text_, begin, end, half);
    if (cut.at >= end) cut = find_cut_inside_word(text_, begin, end, half);
    if (cut.at >= end) {
      throw Error(ErrorCode::invalid_argument,
                  "chunks of " + std::to_string(options_.max_tokens) +
                      " tokens cannot hold a single character of this text: use a larger "
                      "--chunk-tokens");
    }
    add_in_halves(begin, trimmed_end(text_, begin, cut.at), piece);
    add_in_halves(trimmed_begin(text_, cut.at, end), end, piece);
  }

  // The context line of a chunk that starts with `piece`: inside a table, with the table's head.
  std::string context_of(const Piece& piece) {
    std::string line = sections_.context(piece.section).line;
    const std::string& head = maker_.heads()[piece.head].line;
    if (!line.empty() && !head.empty()) line += " > ";
    return line + head;
  }

  bool add_if_fits(std::size_t begin, std::size_t end, const Piece& piece) {
    Chunk chunk;
    chunk.context = context_of(piece);
    chunk.body = text_.substr(begin, end - begin);
    chunk.tokens = count_tokens_(chunk.context + "\n" + chunk.body);
    if (chunk.tokens > options_.max_tokens && piece.head != 0) {
      chunk.context = sections_.context(piece.section).line;
      chunk.tokens = count_tokens_(chunk.context + "\n" + chunk.body);
    }
    if (chunk.tokens > options_.max_tokens) return false;
    chunk.start = positions_.position(begin);
    chunk.end = positions_.position(end);
    chunk.page = page_at(begin);
    chunk.page_end = page_at(end - 1);
    chunk.heading = sections_.path(piece.section);
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

  PieceMaker maker_;
  std::vector<Piece> pieces_;
  std::size_t previous_first_ = 0;  // first piece of the chunk before, not counting its overlap
  std::vector<Chunk> chunks_;
};

}  // namespace

std::vector<Chunk> chunk(const Document& document, const ChunkOptions& options,
                         CountTokens count_tokens) {
  return Chunker(document, options, count_tokens).run(document);
}

}  // namespace lore::ingest
