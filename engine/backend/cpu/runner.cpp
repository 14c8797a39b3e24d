#include "engine/backend/cpu/runner.hpp"

#include <variant>

namespace lore::engine::cpu {
namespace {

constexpr std::size_t kRowGrain = 8;  // rows that a thread takes at a time in a row step

}  // namespace

void Runner::run() {
  const Batch& batch = frame_.batch();
  run_section(program_.body, batch.tokens.size());
  if (batch.hidden != nullptr) run_section(program_.hidden, batch.selected.size());
  if (batch.logits != nullptr) run_section(program_.logits, batch.selected.size());
}

void Runner::run_section(const std::vector<graph::Step>& steps, std::size_t rows) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (recorder_ == nullptr) {
      run_step(steps, i, rows);
      continue;
    }
    recorder_->start_step();
    run_step(steps, i, rows);
    recorder_->end_step(steps[i], frame_.batch(), rows);
  }
}

void Runner::run_step(const std::vector<graph::Step>& steps, std::size_t index, std::size_t rows) {
  const graph::Step& step = steps[index];
  if (const auto* row_step = std::get_if<graph::RowStep>(&step)) {
    const bool few = frame_.batch().kind == TokenKind::generated && rows <= kPrivateRows;
    if (few && row_step->feeds_next_only && team_.size() > 1) {
      private_slot_ = std::get<graph::MatmulStep>(steps[index + 1]).input;
      run_rows(*row_step, 0, rows);
    } else {
      team_.loop(rows, kRowGrain,
                 [&](std::size_t begin, std::size_t end) { run_rows(*row_step, begin, end); });
    }
  } else if (const auto* matmul = std::get_if<graph::MatmulStep>(&step)) {
    run_matmul(*matmul, rows);
    private_slot_ = graph::kNone;
  } else {
    run_attention(std::get<graph::AttentionStep>(step));
  }
}

}  // namespace lore::engine::cpu
