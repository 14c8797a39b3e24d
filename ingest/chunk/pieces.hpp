// A document as the pieces that chunks are planned from.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/chunk/cut.hpp"
#include "ingest/chunk/headings.hpp"
#include "ingest/chunk/plan.hpp"
#include "ingest/ingest.hpp"

namespace lore::ingest {

/// The first row of a table in one line, for chunks that start further down.
struct TableHead {
  std::string line;        ///< cells parted by " | "; "" for none
  std::size_t tokens = 0;  ///< without those that a model adds
};

/// Cuts a text into pieces that each fit into a chunk, and counts them. Borrows the text, the
/// options and the sections. Thread safety: one thread at a time.
class PieceMaker {
 public:
  /// `added`: the tokens that a model adds to every text.
  PieceMaker(std::string_view text, const ChunkOptions& options, std::size_t added,
             Sections& sections, CountTokens count_tokens);

  /// The pieces of the whole text, in order. `document` is that of the text.
  std::vector<Piece> make(const Document& document);

  /// The heads that pieces name, "" at 0.
  const std::vector<TableHead>& heads() const { return heads_; }

 private:
  std::vector<HeadingMark> heading_marks(const Document& document) const;
  void take(const Segment& segment, std::size_t next, std::size_t section, int leads);
  Cut fitting_cut(std::size_t begin, std::size_t end, std::size_t limit, std::size_t budget,
                  std::size_t& word_end, std::size_t& tokens) const;
  void keep(Piece piece);
  std::size_t head_of(const Segment& row);
  std::size_t count_body(std::string_view text) const;
  std::size_t budget_of(std::size_t section);

  std::string_view text_;
  const ChunkOptions& options_;
  std::size_t added_;
  Sections& sections_;
  CountTokens count_tokens_;
  std::vector<Piece> pieces_;
  std::vector<TableHead> heads_;
  Segment previous_;            // the segment before the one in hand,
  std::size_t table_head_ = 0;  // and the head of the table that it is a row of
};

}  // namespace lore::ingest
