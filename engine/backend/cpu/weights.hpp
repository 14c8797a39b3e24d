// The weights of a program in the form that the CPU kernels read.
#pragma once

#include <cstddef>
#include <vector>

#include "base/thread_pool.hpp"
#include "engine/backend/cpu/kernels/kernel_table.hpp"
#include "engine/gguf/gguf_file.hpp"
#include "engine/graph/program.hpp"
#include "engine/tensor/buffer.hpp"

namespace lore::engine::cpu {

/// Matrices are rearranged into panels in memory of our own (huge pages; the file's pages are let
/// go), vectors become float32, tables stay in the file and are read row by row.
///
/// Thread safety: immutable.
class Weights {
 public:
  /// `file` must outlive the object. Throws Error{limit_exceeded} where memory is short.
  Weights(const std::vector<graph::Weight>& weights, const gguf::GgufFile& file, ThreadPool& pool);

  const PackedMatrix& matrix(graph::WeightId id) const { return matrices_[id]; }
  /// Null for kNone.
  const float* vector(graph::WeightId id) const {
    return id == graph::kNone ? nullptr : vectors_[id].data();
  }
  /// Writes row `row` of a table, [columns] float32.
  void table_row(graph::WeightId id, std::size_t row, float* out) const;

 private:
  void pack(const std::vector<graph::Weight>& weights, const gguf::GgufFile& file,
            ThreadPool& pool);

  std::vector<const gguf::TensorInfo*> tensors_;
  std::vector<PackedMatrix> matrices_;       // one a weight; empty where it is no matrix
  std::vector<std::vector<float>> vectors_;  // one a weight; empty where it is no vector
  Buffer packed_;
};

}  // namespace lore::engine::cpu
