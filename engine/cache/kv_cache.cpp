#include "engine/cache/kv_cache.hpp"

#include "engine/tensor/dtype.hpp"
#include "lore/error.hpp"

namespace lore::engine {
namespace {

std::size_t bytes_of_row(const KvShape& shape) {
  switch (shape.format) {
    case KvFormat::f32:
      return row_bytes(DType::f32, shape.head_dim);
    case KvFormat::f16:
      return row_bytes(DType::f16, shape.head_dim);
    case KvFormat::q8_0:
      break;
  }
  return row_bytes(DType::q8_0, shape.head_dim);
}

}  // namespace

KvCache::KvCache(const KvShape& shape) : shape_(shape), row_bytes_(bytes_of_row(shape)) {
  std::size_t bytes = row_bytes_;
  for (const std::size_t factor : {shape.layers, std::size_t{2}, shape.heads, shape.capacity}) {
    if (__builtin_mul_overflow(bytes, factor, &bytes)) {
      throw Error(ErrorCode::limit_exceeded,
                  "the cache for this context is too large; use a smaller context");
    }
  }
  // A short conversation touches the start of every layer's block; huge pages would make all of it
  // resident.
  buffer_ = Buffer(bytes, Pages::ordinary);
}

}  // namespace lore::engine
