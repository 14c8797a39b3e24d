#include "index/store/vector_rows.hpp"

#include <algorithm>

#include "index/store/vector_blob.hpp"

namespace lore::index {
namespace {

// Collects rows and hands them on in blocks that stay in the cache.
class Blocks {
 public:
  Blocks(std::size_t dimension, RowBlock block)
      : dimension_(dimension),
        rows_in_block_(
            std::clamp<std::size_t>(kBlockFloats / std::max<std::size_t>(dimension, 1), 1, 1024)),
        block_(block) {
    rows_.reserve(rows_in_block_ * dimension_);
  }

  void add(std::int64_t id, Blob blob) {
    if (blob.size() != dimension_ * sizeof(float)) return;
    ids_.push_back(id);
    rows_.resize(rows_.size() + dimension_);
    floats_of_blob(blob, std::span(rows_).last(dimension_));
    if (ids_.size() == rows_in_block_) flush();
  }
  void flush() {
    if (!ids_.empty()) block_(ids_, rows_);
    ids_.clear();
    rows_.clear();
  }

 private:
  static constexpr std::size_t kBlockFloats = std::size_t{1} << 16;

  std::size_t dimension_;
  std::size_t rows_in_block_;
  RowBlock block_;
  std::vector<std::int64_t> ids_;
  std::vector<float> rows_;
};

}  // namespace

void for_each_vector(Database& database, std::size_t dimension, const RowRange& range,
                     RowBlock block) {
  Blocks blocks(dimension, block);
  if (!range.filtered) {
    Statement rows =
        database.prepare("SELECT chunk_id, data FROM vectors WHERE chunk_id > ? ORDER BY chunk_id");
    rows.bind(range.above);
    while (rows.step()) blocks.add(rows.integer(0), rows.blob(1));
  } else {
    Statement rows = database.prepare(
        "SELECT v.chunk_id, v.data FROM chunks c JOIN vectors v ON v.chunk_id = c.id"
        " WHERE c.document_id = ? AND c.id > ?");
    for (const std::int64_t document : range.documents) {
      rows.bind(document, range.above);
      while (rows.step()) blocks.add(rows.integer(0), rows.blob(1));
    }
  }
  blocks.flush();
}

VectorReader::VectorReader(Database& database, std::size_t dimension)
    : row_(database.prepare("SELECT data FROM vectors WHERE chunk_id = ? AND length(data) = " +
                            std::to_string(dimension * sizeof(float)))) {}

bool VectorReader::read(std::int64_t chunk_id, std::span<float> out) {
  if (!row_.bind(chunk_id).step()) return false;
  floats_of_blob(row_.blob(0), out);
  row_.reset();
  return true;
}

}  // namespace lore::index
