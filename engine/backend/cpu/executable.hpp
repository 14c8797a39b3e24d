// A program bound to kernels and packed weights.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/function_ref.hpp"
#include "engine/backend/backend.hpp"
#include "engine/backend/cpu/kernels/kernel_table.hpp"
#include "engine/backend/cpu/prepared.hpp"
#include "engine/backend/cpu/weights.hpp"

namespace lore::engine::cpu {

/// Rows [begin, end) of a batch.
struct RowRange {
  std::size_t begin = 0, end = 0;

  std::size_t size() const { return end - begin; }
  bool contains(std::size_t row) const { return row >= begin && row < end; }
};

class CpuExecutable final : public Executable {
 public:
  CpuExecutable(const KernelTable& kernels, graph::Program program, const gguf::GgufFile& file,
                ThreadPool& pool);

  const graph::Program& program() const override { return program_; }
  std::unique_ptr<Session> create_session(ThreadPool& pool) const override;
  Work work(const Batch& batch) const override;

  /// The steps that a batch takes, in order, section by section, with the rows that each computes.
  /// Of a prompt, the last layer computes only the rows that somebody asks for, from its attention
  /// on: the others have left their keys and values by then.
  void for_each_section(
      const Batch& batch,
      FunctionRef<void(std::span<const graph::Step> steps, RowRange rows)> section) const;

  const KernelTable& kernels() const { return kernels_; }
  const Weights& weights() const { return weights_; }
  /// Of a prepared slot.
  const PreparedLayout& layout(graph::SlotId slot) const { return layouts_[slot]; }
  ActivationFormat format_for(graph::WeightId weight) const {
    return kernels_.activation_for(weights_.matrix(weight).type);
  }

 private:
  const KernelTable& kernels_;
  graph::Program program_;
  std::size_t last_attention_ = 0;  // index in the body
  Weights weights_;
  std::vector<PreparedLayout> layouts_;  // one a slot
};

}  // namespace lore::engine::cpu
