#include "engine/cache/kv_cache.hpp"

#include <algorithm>
#include <cstring>

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

KvCache::KvCache(const KvShape& shape)
    : shape_(shape), row_bytes_(bytes_of_row(shape)), page_bytes_(row_bytes_) {
  for (const std::size_t factor : {shape.layers, std::size_t{2}, shape.heads, kKvPagePositions}) {
    if (__builtin_mul_overflow(page_bytes_, factor, &page_bytes_)) {
      throw Error(ErrorCode::limit_exceeded,
                  "the cache of this model is too large; use a smaller model");
    }
  }
}

void KvCache::prepare(std::size_t begin, std::size_t end) {
  const std::size_t first = begin / kKvPagePositions;
  const std::size_t pages = (end + kKvPagePositions - 1) / kKvPagePositions;
  for (std::size_t page = first; page < std::min(pages, pages_.size()); ++page) {
    if (pages_[page].use_count() > 1) {
      copy_page(page, std::max(begin, page * kKvPagePositions) - page * kKvPagePositions);
    }
  }
  while (pages_.size() < pages) {
    pages_.push_back(std::make_shared<Buffer>(page_bytes_, Pages::ordinary));
    data_.push_back(pages_.back()->data());
  }
}

void KvCache::take_prefix(const KvCache& from, std::size_t count) {
  const std::size_t rest = count % kKvPagePositions;
  const std::size_t pages = (count + kKvPagePositions - 1) / kKvPagePositions;
  const auto shared = static_cast<std::ptrdiff_t>(pages);
  pages_.assign(from.pages_.begin(), from.pages_.begin() + shared);
  data_.assign(from.data_.begin(), from.data_.begin() + shared);
  if (rest != 0) copy_page(pages - 1, rest);
}

/// Puts a page of our own with the first `rows` rows in the place of a shared one.
void KvCache::copy_page(std::size_t page, std::size_t rows) {
  auto copy = std::make_shared<Buffer>(page_bytes_, Pages::ordinary);
  const std::size_t block = kKvPagePositions * row_bytes_;
  for (std::size_t offset = 0; offset < page_bytes_; offset += block) {
    std::memcpy(copy->data() + offset, data_[page] + offset, rows * row_bytes_);
  }
  data_[page] = copy->data();
  pages_[page] = std::move(copy);
}

}  // namespace lore::engine
