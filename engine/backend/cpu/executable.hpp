// A program bound to kernels and packed weights.
#pragma once

#include <memory>
#include <vector>

#include "engine/backend/backend.hpp"
#include "engine/backend/cpu/kernels/kernel_table.hpp"
#include "engine/backend/cpu/prepared.hpp"
#include "engine/backend/cpu/weights.hpp"

namespace lore::engine::cpu {

class CpuExecutable final : public Executable {
 public:
  CpuExecutable(const KernelTable& kernels, graph::Program program, const gguf::GgufFile& file,
                ThreadPool& pool);

  const graph::Program& program() const override { return program_; }
  std::unique_ptr<Session> create_session(ThreadPool& pool) const override;
  Work work(const Batch& batch) const override;

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
  Weights weights_;
  std::vector<PreparedLayout> layouts_;  // one a slot
};

}  // namespace lore::engine::cpu
