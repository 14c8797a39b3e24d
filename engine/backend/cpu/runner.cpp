#include "engine/backend/cpu/runner.hpp"

#include <variant>

namespace lore::engine::cpu {
namespace {

constexpr std::size_t kRowGrain = 8;  // rows that a thread takes at a time in a row step

}  // namespace

void Runner::run() {
  const auto run_section = [&](std::span<const graph::Step> steps, RowRange rows) {
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (recorder_ != nullptr) recorder_->start_step();
      run_step(steps, i, rows);
      if (recorder_ != nullptr) recorder_->end_step(steps[i], frame_.batch(), rows);
    }
  };
  executable_.for_each_section(frame_.batch(), run_section);
}

void Runner::run_step(std::span<const graph::Step> steps, std::size_t index, RowRange rows) {
  const graph::Step& step = steps[index];
  if (const auto* row_step = std::get_if<graph::RowStep>(&step)) {
    const bool few = frame_.batch().kind == TokenKind::generated && rows.size() <= kPrivateRows;
    if (few && row_step->feeds_next_only && team_.size() > 1) {
      private_slot_ = std::get<graph::MatmulStep>(steps[index + 1]).input;
      run_rows(*row_step, rows.begin, rows.end);
    } else {
      team_.loop(rows.size(), kRowGrain, [&](std::size_t begin, std::size_t end) {
        run_rows(*row_step, rows.begin + begin, rows.begin + end);
      });
    }
  } else if (const auto* matmul = std::get_if<graph::MatmulStep>(&step)) {
    run_matmul(*matmul, rows);
    private_slot_ = graph::kNone;
  } else {
    run_attention(std::get<graph::AttentionStep>(step), rows);
  }
}

}  // namespace lore::engine::cpu
