// check() and repair().
#pragma once

#include <cstdint>
#include <set>

#include "index/index.hpp"
#include "index/publish.hpp"
#include "index/store/database.hpp"
#include "index/vector_search.hpp"

namespace lore::index {

/// What a check found, in a form that a repair can work from.
struct Findings {
  CheckReport report;
  bool structure = true;  ///< sound?
  bool references = true;
  bool words = true;
  bool trigrams = true;
  bool generation = true;
  std::set<std::int64_t> documents;  ///< unsound ones
};

/// Compares everything that can be compared. Expects an open transaction; writes nothing but
/// temporary tables.
Findings inspect(Database& database, VectorSearch& vectors);

/// Puts right what can be made anew from what is sound: full text and vector file from chunks and
/// vectors; documents that contradict themselves are forgotten, so that the next `lore index` reads
/// them again. What is left is in the report's problems. Only for the holder of the writer lock.
CheckReport repair_index(Database& database, VectorSearch& vectors, const ModelFingerprint& model,
                         const PublishTarget& target);

}  // namespace lore::index
