// Comparing what SQLite holds with itself.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "index/index.hpp"
#include "index/store/database.hpp"

namespace lore::index {

// Each expects an open transaction, and works without writing. Each adds a sentence for people to
// `problems`, at most some twenty, so that a ruined index does not tell a million times the same.

/// SQLite's own check of the file; false where it found anything.
bool verify_structure(Database& database, std::vector<std::string>& problems);

/// Rows that belong to rows which are not there; false where it found any.
bool verify_references(Database& database, std::vector<std::string>& problems);

/// Pages, chunks and spans against the text, vectors against chunks and the model. Returns the
/// documents with anything wrong.
std::set<std::int64_t> verify_documents(Database& database, const ModelFingerprint& model,
                                        std::vector<std::string>& problems);

/// A full-text table ("words" or "trigrams") against the chunks: which rows it has, and how often
/// and in how many of them every term stands; false where they differ.
bool verify_full_text(Database& database, const std::string& table,
                      std::vector<std::string>& problems);

}  // namespace lore::index
