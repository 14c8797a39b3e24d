// The nearest chunks to a vector: the published vector file, and what is newer than it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/log.hpp"
#include "base/simd/scan_ops.hpp"
#include "index/index.hpp"
#include "index/store/catalog.hpp"
#include "index/vectors/top_list.hpp"
#include "index/vectors/vector_index.hpp"

namespace lore::index {

/// Every score that leaves this class is computed from the vector stored in SQLite; the file only
/// says which chunks are worth scoring. Where the file is an ExactIndex, ids and scores are those
/// of a scan of all stored vectors, bit for bit. Where it is missing or not as recorded, all stored
/// vectors are scanned instead.
///
/// Thread safety: one thread at a time.
class VectorSearch {
 public:
  VectorSearch(std::filesystem::path folder, const LogSink& log,
               const simd::ScanTable& scan = simd::best_scan_table());

  /// Up to `limit` chunks by descending cosine, equal ones by ascending id. query: [dimension],
  /// unit length. `documents`: only chunks of these, where given. Expects an open transaction.
  std::vector<TopList::Entry> search(Database& database, const ModelFingerprint& model,
                                     std::span<const float> query, std::size_t limit,
                                     const std::vector<std::int64_t>* documents);

  /// The published file as loaded, or nothing where there is none that is sound.
  const VectorIndex* generation(Database& database, const ModelFingerprint& model);
  /// Why the last recorded file was not used; empty where it was, or none is recorded.
  const std::string& refusal() const { return refusal_; }

 private:
  std::filesystem::path folder_;
  LogSink log_;
  const simd::ScanTable& scan_;
  std::optional<VectorIndex> loaded_;
  GenerationRecord record_;  // of loaded_, or of what was refused
  std::string refusal_;
};

/// Cosine of a stored row with a unit query; 0 for a zero row. Both: [dimension].
float cosine(std::span<const float> row, std::span<const float> query, bool normalized);

/// Scales to unit length; false for a zero vector, which stays.
bool normalize(std::span<float> vector);

}  // namespace lore::index
