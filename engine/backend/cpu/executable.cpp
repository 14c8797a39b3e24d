#include "engine/backend/cpu/executable.hpp"

#include <algorithm>
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

/// Columns of a prepared slot that are written at once, 0 where whole rows are.
std::size_t piece(const graph::Program& program, graph::SlotId slot) {
  for (const std::vector<graph::Step>* steps : {&program.body, &program.hidden, &program.logits}) {
    for (const graph::Step& step : *steps) {
      if (const auto* attention = std::get_if<graph::AttentionStep>(&step)) {
        if (attention->out == slot) return attention->head_dim;
      } else if (const auto* matmul = std::get_if<graph::MatmulStep>(&step)) {
        for (const graph::Product& product : matmul->products) {
          if (product.out == slot) return kTileColumns;
        }
      }
    }
  }
  return 0;
}

/// The rows that a batch asks for and those between them, none where it asks for none. Whole blocks
/// of 16, for the kernels that take so many at once.
RowRange selected_rows(const Batch& batch) {
  if (batch.selected.empty()) return {};
  const auto [first, last] = std::minmax_element(batch.selected.begin(), batch.selected.end());
  return {*first / kPanelRows * kPanelRows, std::size_t{*last} + 1};
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
  for (graph::SlotId id = 0; id < program_.slots.size(); ++id) {
    const graph::Slot& slot = program_.slots[id];
    layouts_.push_back(slot.kind == graph::SlotKind::prepared
                           ? PreparedLayout(kernels_, slot.width, slot.readers, piece(program_, id))
                           : PreparedLayout());
  }
  for (std::size_t i = 0; i < program_.body.size(); ++i) {
    if (std::holds_alternative<graph::AttentionStep>(program_.body[i])) last_attention_ = i;
  }
}

std::unique_ptr<Session> CpuExecutable::create_session(ThreadPool& pool) const {
  return std::make_unique<CpuSession>(*this, pool);
}

Work CpuExecutable::work(const Batch& batch) const {
  Work work;
  for_each_section(batch, [&](std::span<const graph::Step> steps, RowRange rows) {
    for (const graph::Step& step : steps) work += work_of(*this, step, batch, rows);
  });
  return work;
}

void CpuExecutable::for_each_section(
    const Batch& batch, FunctionRef<void(std::span<const graph::Step>, RowRange)> section) const {
  const std::span<const graph::Step> body = program_.body;
  const RowRange all{0, batch.tokens.size()};
  section(body.first(last_attention_), all);
  section(body.subspan(last_attention_),
          batch.kind == TokenKind::prompt ? selected_rows(batch) : all);
  const RowRange selected{0, batch.selected.size()};
  if (batch.hidden != nullptr) section(program_.hidden, selected);
  if (batch.logits != nullptr) section(program_.logits, selected);
}

}  // namespace lore::engine::cpu

namespace lore::engine {

std::unique_ptr<const Backend> create_cpu_backend(std::string_view kernels) {
  return std::make_unique<cpu::CpuBackend>(
      cpu::select_kernels(simd::detect_cpu_features(), kernels));
}

}  // namespace lore::engine
