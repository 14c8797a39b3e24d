#include "engine/backend/cpu/executable.hpp"

#include <string>
#include <utility>
#include <variant>

#include "engine/backend/cpu/attention.hpp"
#include "engine/backend/cpu/kernels/select.hpp"
#include "engine/backend/cpu/limits.hpp"
#include "engine/backend/cpu/recorder.hpp"
#include "engine/backend/cpu/session.hpp"
#include "lore/error.hpp"

namespace lore::engine::cpu {
namespace {

/// The queries that share a key-value head are computed as one block.
void check_heads(const graph::Program& program, const gguf::GgufFile& file) {
  for (const graph::Step& step : program.body) {
    const auto* attention = std::get_if<graph::AttentionStep>(&step);
    if (attention == nullptr || attention->heads / attention->kv_heads <= kQueryBlock) continue;
    throw Error(ErrorCode::unsupported,
                file.path().string() + ": " +
                    std::to_string(attention->heads / attention->kv_heads) +
                    " query heads share a key-value head, and " + std::to_string(kQueryBlock) +
                    " are the most that can be computed; use another model",
                file.path().string());
  }
}

class CpuBackend final : public Backend {
 public:
  explicit CpuBackend(const KernelTable& kernels) : kernels_(kernels) {}

  std::string_view name() const override { return kernels_.name; }

  std::size_t prepared_row_bytes(std::size_t width, std::span<const DType> readers) const override {
    return PreparedLayout(kernels_, width, readers).row_bytes();
  }

  std::unique_ptr<const Executable> prepare(graph::Program program, const gguf::GgufFile& file,
                                            ThreadPool& pool) const override {
    check_heads(program, file);
    return std::make_unique<CpuExecutable>(kernels_, std::move(program), file, pool);
  }

  MachineLimits measure_limits(ThreadPool& pool) const override {
    return cpu::measure_limits(kernels_, pool);
  }

 private:
  const KernelTable& kernels_;
};

}  // namespace

CpuExecutable::CpuExecutable(const KernelTable& kernels, graph::Program program,
                             const gguf::GgufFile& file, ThreadPool& pool)
    : kernels_(kernels), program_(std::move(program)), weights_(program_.weights, file, pool) {
  for (const graph::Slot& slot : program_.slots) {
    layouts_.push_back(slot.kind == graph::SlotKind::prepared
                           ? PreparedLayout(kernels_, slot.width, slot.readers)
                           : PreparedLayout());
  }
}

std::unique_ptr<Session> CpuExecutable::create_session(ThreadPool& pool) const {
  return std::make_unique<CpuSession>(*this, pool);
}

Work CpuExecutable::work(const Batch& batch) const {
  Work work;
  const auto add = [&](const std::vector<graph::Step>& steps, std::size_t rows) {
    for (const graph::Step& step : steps) work += work_of(*this, step, batch, rows);
  };
  add(program_.body, batch.tokens.size());
  if (batch.hidden != nullptr) add(program_.hidden, batch.selected.size());
  if (batch.logits != nullptr) add(program_.logits, batch.selected.size());
  return work;
}

}  // namespace lore::engine::cpu

namespace lore::engine {

std::unique_ptr<const Backend> create_cpu_backend(std::string_view kernels) {
  return std::make_unique<cpu::CpuBackend>(
      cpu::select_kernels(simd::detect_cpu_features(), kernels));
}

}  // namespace lore::engine
