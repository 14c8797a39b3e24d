// Runs the steps of a program over one frame: the part of one thread in it.
#pragma once

#include <cstddef>
#include <span>

#include "base/team.hpp"
#include "engine/backend/cpu/frame.hpp"
#include "engine/backend/cpu/recorder.hpp"

namespace lore::engine::cpu {

/// Every member of a team has a Runner of its own over the same frame and calls run at the same
/// time.
class Runner {
 public:
  /// `recorder`: takes the times of the steps; null for none.
  Runner(const CpuExecutable& executable, Frame& frame, WorkerMemory& memory, Team& team,
         Recorder* recorder)
      : executable_(executable),
        program_(executable.program()),
        kernels_(executable.kernels()),
        weights_(executable.weights()),
        frame_(frame),
        memory_(memory),
        team_(team),
        recorder_(recorder) {}

  /// The body, then the outputs that the batch asks for.
  void run();

 private:
  void run_step(std::span<const graph::Step> steps, std::size_t index, RowRange rows);

  // row_step.cpp
  void run_rows(const graph::RowStep& step, std::size_t begin, std::size_t end);
  void run_op(const graph::RowOp& op, std::size_t row);
  void activate(graph::Activation activation, const float* x, std::size_t n, float* out) const;
  void gate(graph::Activation activation, const float* gate, const float* up, std::size_t n,
            float* out) const;
  void write_angles(graph::RopeId rope, std::size_t position, float* out) const;
  float* value(graph::SlotId slot, std::size_t row);
  void write_prepared(graph::SlotId slot, std::size_t row, std::size_t column, const float* x,
                      std::size_t n);

  // matmul_step.cpp
  /// Rows and panels of one product (of both, where one gates the other).
  struct Tile {
    std::size_t product = 0;
    std::size_t row_begin = 0, row_end = 0;
    std::size_t panel_begin = 0, panel_end = 0;
  };
  void run_matmul(const graph::MatmulStep& step, RowRange rows);
  void run_tile(const graph::MatmulStep& step, const Tile& tile);
  void multiply(const graph::Product& product, graph::SlotId input, const Tile& tile, float* out,
                std::size_t out_stride);
  void finish_row(const graph::MatmulStep& step, const Tile& tile, std::size_t row);

  // attention_step.cpp
  void run_attention(const graph::AttentionStep& step, RowRange rows);
  void attend_many(const graph::AttentionStep& step, RowRange rows);
  void attend_few(const graph::AttentionStep& step);
  void attend_split(const graph::AttentionStep& step, std::size_t spans);
  std::size_t spans_to_split(const graph::AttentionStep& step) const;
  void enter(const graph::AttentionStep& step, const SequenceRows& sequence, std::size_t row,
             std::size_t kv_head);
  void turn(const graph::AttentionStep& step, graph::WeightId norm, std::size_t row, float* head);
  HeadKeys head_keys(const graph::AttentionStep& step, const SequenceRows& sequence,
                     std::size_t kv_head);
  Attention attention(const graph::AttentionStep& step);
  Sums sums(const graph::AttentionStep& step, std::size_t index);
  Queries group_queries(const graph::AttentionStep& step, std::size_t row, std::size_t kv_head);
  void leave(const graph::AttentionStep& step, std::size_t row, std::size_t head, std::size_t heads,
             const float* values);

  const CpuExecutable& executable_;
  const graph::Program& program_;
  const KernelTable& kernels_;
  const Weights& weights_;
  Frame& frame_;
  WorkerMemory& memory_;
  Team& team_;
  Recorder* recorder_;
  graph::SlotId private_slot_ = graph::kNone;  // a prepared slot that this thread has for itself
};

}  // namespace lore::engine::cpu
