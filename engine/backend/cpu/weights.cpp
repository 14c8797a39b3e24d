#include "engine/backend/cpu/weights.hpp"

#include <map>

#include "engine/backend/cpu/kernels/pack.hpp"
#include "engine/quant/dequantize.hpp"
#include "lore/error.hpp"

namespace lore::engine::cpu {
namespace {

// Panels that a thread packs at a time: some hundred kilobytes of a usual matrix.
constexpr std::size_t kPackGrain = 4;

std::vector<float> as_floats(const gguf::TensorInfo& tensor) {
  std::vector<float> values(tensor.columns() * tensor.rows());
  const std::size_t stride = row_bytes(tensor.type, tensor.columns());
  for (std::size_t row = 0; row < tensor.rows(); ++row) {
    dequantize_row(tensor.type, tensor.data.data() + row * stride, tensor.columns(),
                   values.data() + row * tensor.columns());
  }
  return values;
}

}  // namespace

Weights::Weights(const std::vector<graph::Weight>& weights, const gguf::GgufFile& file,
                 ThreadPool& pool)
    : matrices_(weights.size()), vectors_(weights.size()) {
  for (std::size_t id = 0; id < weights.size(); ++id) {
    tensors_.push_back(weights[id].tensor);
    if (weights[id].role == graph::WeightRole::vector) {
      vectors_[id] = as_floats(*weights[id].tensor);
    }
  }
  pack(weights, file, pool);
}

void Weights::pack(const std::vector<graph::Weight>& weights, const gguf::GgufFile& file,
                   ThreadPool& pool) {
  std::map<const gguf::TensorInfo*, std::size_t> offsets;
  std::size_t total = 0;
  for (const graph::Weight& weight : weights) {
    if (weight.role != graph::WeightRole::matrix) continue;
    const auto [entry, added] = offsets.emplace(weight.tensor, total);
    const gguf::TensorInfo& tensor = *weight.tensor;
    if (added) total += packed_bytes(tensor.type, tensor.rows(), tensor.columns());
  }
  require_memory(total, "the weights of " + file.path().string());
  packed_ = Buffer(total);
  for (const auto& entry : offsets) {
    const gguf::TensorInfo* tensor = entry.first;
    const std::size_t offset = entry.second;
    auto* out = packed_.as<std::uint8_t>(offset);
    const PackedMatrix matrix = packed_shape(tensor->type, tensor->rows(), tensor->columns(), out);
    pool.parallel_for(matrix.panels, kPackGrain, [&](std::size_t begin, std::size_t end, unsigned) {
      pack_panels(matrix, tensor->data.data(), begin, end, out);
    });
    file.release(*tensor);
    for (std::size_t id = 0; id < weights.size(); ++id) {
      const bool same = weights[id].tensor == tensor;
      if (same && weights[id].role == graph::WeightRole::matrix) matrices_[id] = matrix;
    }
  }
}

void Weights::table_row(graph::WeightId id, std::size_t row, float* out) const {
  const gguf::TensorInfo& tensor = *tensors_[id];
  LORE_ASSERT(row < tensor.rows());
  const std::size_t stride = row_bytes(tensor.type, tensor.columns());
  dequantize_row(tensor.type, tensor.data.data() + row * stride, tensor.columns(), out);
}

}  // namespace lore::engine::cpu
