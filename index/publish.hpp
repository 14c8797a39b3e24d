// Making and recording a new vector file.
#pragma once

#include <filesystem>

#include "index/index.hpp"
#include "index/store/database.hpp"
#include "index/vector_search.hpp"
#include "index/vectors/file_layer.hpp"

namespace lore::index {

struct PublishTarget {
  std::filesystem::path folder;
  FileLayer& files;
  std::size_t exact_codes;  ///< VectorIndex::kExactCodes, or a test's
};

/// Whether the vector file is missing, unsound, or so far behind that searching what is newer costs
/// more than making it anew. Expects an open transaction.
bool needs_generation(Database& database, VectorSearch& current, const ModelFingerprint& model);

/// Builds a vector file from the stored vectors, publishes and records it, then removes the others.
/// Only the holder of the writer lock may call it, outside a transaction.
void publish_generation(Database& database, const ModelFingerprint& model,
                        const PublishTarget& target);

}  // namespace lore::index
