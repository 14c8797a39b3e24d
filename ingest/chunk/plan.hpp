// Which segments go together in a chunk.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "ingest/chunk/boundaries.hpp"

namespace lore::ingest {

/// A segment with what the plan weighs.
struct Piece {
  Segment segment;
  std::size_t tokens = 0;   ///< of its text and the white space after it
  std::size_t budget = 0;   ///< tokens that the body of a chunk may have that starts here
  int leads = 0;            ///< of a heading, or a running title above one: the heading's level
  bool introduces = false;  ///< ends with a colon: better kept with what follows
  std::size_t section = 0;  ///< of Sections
  std::size_t head = 0;     ///< the head row to repeat above a chunk that starts here; 0 is none
};

/// The indices of the pieces that start a chunk, in order; the first is 0. Chunks are within the
/// budget of their first piece, unless one piece alone is over it. Of all such partitions this is
/// the one with the least cost, which weighs the places where it cuts, how much of the budget it
/// leaves empty, and headings inside a chunk.
std::vector<std::size_t> plan_chunks(std::span<const Piece> pieces);

}  // namespace lore::ingest
