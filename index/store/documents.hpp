// Documents, pages, chunks and their vectors as rows.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "index/index.hpp"
#include "index/store/database.hpp"

namespace lore::index {

// Every writing function expects an open transaction, and every reading one works in any.

/// Adds a document with everything below it under `path` (not document.path) and returns its id.
/// `vectors`: [chunks, dimension], row-major. The path must not be stored yet.
std::int64_t insert_document(Database& database, std::string_view path,
                             const DocumentRecord& document, std::span<const float> vectors);
/// Removes a document with everything below it; false where there is none.
bool delete_document(Database& database, std::int64_t id);

std::vector<DocumentSummary> all_documents(Database& database);
std::optional<DocumentSummary> find_document(Database& database, std::string_view path);

/// Throws Error{not_found}.
DocumentRecord read_document(Database& database, std::int64_t id);

/// The hit for a chunk without ranks and scores, or nothing where it is gone.
std::optional<Hit> read_hit(Database& database, std::int64_t chunk_id);

Counts count_all(Database& database);

}  // namespace lore::index
