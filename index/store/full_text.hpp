// BM25 search in the full-text tables.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "index/retrieve/query_terms.hpp"
#include "index/store/database.hpp"

namespace lore::index {

struct TextMatch {
  std::int64_t chunk_id = 0;
  double bm25 = 0;  ///< larger is better
};

/// Says whether a chunk may be among the results; empty takes all.
using ChunkFilter = std::function<bool(std::int64_t chunk_id)>;

/// The `limit` chunks that meet the terms best, best first, equal ones by ascending id. Words go to
/// the table of words, with their other forms that the index has; words that it has not, and runs
/// of scripts without spaces, to the table of trigrams; runs too short for that are looked for in
/// the chunks themselves. Scores of these add up. Expects an open transaction.
std::vector<TextMatch> search_text(Database& database, const QueryTerms& terms, std::size_t limit,
                                   const ChunkFilter& filter);

}  // namespace lore::index
