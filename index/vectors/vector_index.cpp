#include "index/vectors/vector_index.hpp"

namespace lore::index {

VectorIndex VectorIndex::build(std::size_t dimension, std::size_t count, VectorPass pass,
                               std::size_t exact_codes) {
  if (dimension == 0 || count <= exact_codes / dimension) {
    return VectorIndex(ExactIndex::build(dimension, count, pass));
  }
  return VectorIndex(ListIndex::build(dimension, count, pass));
}

void VectorIndex::save(FunctionRef<void(std::span<const std::byte>)> write) const {
  if (const ExactIndex* index = exact()) {
    write(index->image());
  } else {
    lists()->save(write);
  }
}

std::size_t VectorIndex::dimension() const noexcept {
  return std::visit([](const auto& index) { return index.dimension(); }, index_);
}

std::size_t VectorIndex::size() const noexcept {
  return std::visit([](const auto& index) { return index.size(); }, index_);
}

std::vector<std::int64_t> VectorIndex::ids() const {
  if (const ListIndex* index = lists()) return index->ids();
  const std::span<const std::int64_t> ids = exact()->ids();
  return {ids.begin(), ids.end()};
}

bool VectorIndex::holds(std::int64_t id, std::span<const float> vector) const {
  return lists() != nullptr || exact()->holds(id, vector);
}

}  // namespace lore::index
