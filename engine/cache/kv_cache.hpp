// Keys and values of the tokens of one sequence.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/tensor/buffer.hpp"

namespace lore::engine {

enum class KvFormat : std::uint8_t { f32, f16, q8_0 };

struct KvShape {
  std::size_t layers = 0;
  std::size_t heads = 0;     ///< key-value heads
  std::size_t head_dim = 0;  ///< a multiple of 32 for q8_0
  std::size_t capacity = 0;  ///< positions
  KvFormat format = KvFormat::f16;
};

/// One block [capacity, head_dim] each for the keys and the values of every layer and head. Memory
/// that no token has reached yet is not touched. Rows stand at their position, so whatever computed
/// a prefix left the same bytes in the same place.
///
/// Thread safety: rows of different positions, layers or heads may be written at the same time.
class KvCache {
 public:
  /// Throws Error{limit_exceeded} where the memory is not there.
  explicit KvCache(const KvShape& shape);

  const KvShape& shape() const noexcept { return shape_; }
  std::size_t row_bytes() const noexcept { return row_bytes_; }

  std::byte* keys(std::size_t layer, std::size_t head, std::size_t position = 0) noexcept {
    return at(layer, head, position);
  }
  std::byte* values(std::size_t layer, std::size_t head, std::size_t position = 0) noexcept {
    return at(layer, shape_.heads + head, position);
  }

 private:
  std::byte* at(std::size_t layer, std::size_t block, std::size_t position) noexcept {
    return buffer_.data() +
           ((layer * 2 * shape_.heads + block) * shape_.capacity + position) * row_bytes_;
  }

  KvShape shape_;
  std::size_t row_bytes_ = 0;
  Buffer buffer_;
};

}  // namespace lore::engine
