// Stored vectors, one by one and in blocks.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/function_ref.hpp"
#include "index/store/database.hpp"

namespace lore::index {

/// Receives ids [n] and rows [n, dimension], row-major; ids ascend within a document.
using RowBlock = FunctionRef<void(std::span<const std::int64_t> ids, std::span<const float> rows)>;

/// Which rows to go through.
struct RowRange {
  std::int64_t above = 0;                   ///< chunk ids greater than this
  std::span<const std::int64_t> documents;  ///< only of these, where `filtered`
  bool filtered = false;
};

/// Reads the stored vectors in blocks. Rows of another size than `dimension` are left out (check()
/// tells of them). Expects an open transaction.
void for_each_vector(Database& database, std::size_t dimension, const RowRange& range,
                     RowBlock block);

/// Reads single vectors.
class VectorReader {
 public:
  VectorReader(Database& database, std::size_t dimension);
  /// False where there is no such row (or not of this dimension); out: [dimension].
  bool read(std::int64_t chunk_id, std::span<float> out);

 private:
  Statement row_;
};

}  // namespace lore::index
