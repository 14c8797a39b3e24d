// Keys and values of the tokens of one sequence, in pages that sequences can share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/tensor/buffer.hpp"

namespace lore::engine {

/// Positions that a page holds.
inline constexpr std::size_t kKvPagePositions = 64;

enum class KvFormat : std::uint8_t { f32, f16, q8_0 };

struct KvShape {
  std::size_t layers = 0;
  std::size_t heads = 0;     ///< key-value heads
  std::size_t head_dim = 0;  ///< a multiple of 32 for q8_0
  KvFormat format = KvFormat::f16;
};

/// One block [kKvPagePositions, head_dim] each for the keys and the values of every layer and head
/// in a page. Pages come with the positions that need them, and a prefix that several sequences
/// share is held once. Rows stand at their position, so whatever computed a prefix left the same
/// bytes in the same place.
///
/// Thread safety: rows of different positions, layers or heads may be written at the same time;
/// caches that share pages may be read at the same time.
class KvCache {
 public:
  /// Throws Error{limit_exceeded} for a shape whose size is no number.
  explicit KvCache(const KvShape& shape);

  const KvShape& shape() const noexcept { return shape_; }
  std::size_t row_bytes() const noexcept { return row_bytes_; }

  /// Makes the rows [begin, end) of every layer writable without a trace in other caches. Throws
  /// Error{limit_exceeded} where the memory is not there.
  void prepare(std::size_t begin, std::size_t end);
  /// Takes over the rows [0, count) of a cache of the same shape, which holds them, and gives up
  /// its own. Whole pages are shared, the rest is copied.
  void take_prefix(const KvCache& from, std::size_t count);

  /// The pages from position 0 on. A row of position p stands at
  /// pages()[p / kKvPagePositions] + key_offset(layer, head) + p % kKvPagePositions * row_bytes().
  const std::byte* const* pages() const noexcept { return data_.data(); }
  std::size_t key_offset(std::size_t layer, std::size_t head) const noexcept {
    return (layer * 2 * shape_.heads + head) * kKvPagePositions * row_bytes_;
  }
  std::size_t value_offset(std::size_t layer, std::size_t head) const noexcept {
    return key_offset(layer, shape_.heads + head);
  }
  /// Rows to write, after prepare.
  std::byte* key(std::size_t layer, std::size_t head, std::size_t position) noexcept {
    return row(key_offset(layer, head), position);
  }
  std::byte* value(std::size_t layer, std::size_t head, std::size_t position) noexcept {
    return row(value_offset(layer, head), position);
  }

 private:
  std::byte* row(std::size_t offset, std::size_t position) noexcept {
    return data_[position / kKvPagePositions] + offset + position % kKvPagePositions * row_bytes_;
  }
  void copy_page(std::size_t page, std::size_t rows);

  KvShape shape_;
  std::size_t row_bytes_ = 0;
  std::size_t page_bytes_ = 0;
  std::vector<std::shared_ptr<Buffer>> pages_;
  std::vector<std::byte*> data_;  // of pages_
};

}  // namespace lore::engine
