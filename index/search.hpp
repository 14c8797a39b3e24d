// A search over one state of the index.
#pragma once

#include "index/index.hpp"
#include "index/store/database.hpp"
#include "index/vector_search.hpp"

namespace lore::index {

/// Expects an open transaction. Throws Error{invalid_argument} for a query that its mode cannot
/// use, and Error{mismatch} for a vector of another dimension than the index's.
SearchResult search_index(Database& database, VectorSearch& vectors, const SearchQuery& query);

}  // namespace lore::index
