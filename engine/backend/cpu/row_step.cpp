#include <cmath>

#include "engine/backend/cpu/runner.hpp"

namespace lore::engine::cpu {

using graph::RowOp;
using graph::RowOpKind;

void Runner::run_rows(const graph::RowStep& step, std::size_t begin, std::size_t end) {
  for (std::size_t row = begin; row < end; ++row) {
    for (const RowOp& op : step.ops) run_op(op, row);
  }
}

/// The float32 row of a slot: of the batch, of the caller, or this thread's own.
float* Runner::value(graph::SlotId slot, std::size_t row) {
  const graph::Slot& place = program_.slots[slot];
  return place.kind == graph::SlotKind::local ? memory_.local(place.offset)
                                              : frame_.rows(slot, row);
}

void Runner::write_prepared(graph::SlotId slot, std::size_t row, std::size_t column, const float* x,
                            std::size_t n) {
  const bool mine = slot == private_slot_;
  executable_.layout(slot).write(
      kernels_, frame_.regime(), mine ? memory_.private_rows() : frame_.prepared(slot),
      mine ? WorkerMemory::kPrivateCapacity : frame_.capacity(), row, column, x, n);
}

void Runner::run_op(const RowOp& op, std::size_t row) {
  const std::size_t n = program_.slots[op.out].width;
  if (op.kind == RowOpKind::prepare) {
    write_prepared(op.out, row, 0, value(op.a, row), n);
    return;
  }
  float* out = value(op.out, row);
  const Batch& batch = frame_.batch();
  switch (op.kind) {
    case RowOpKind::lookup: {
      std::size_t index = 0;
      if (op.lookup == graph::Lookup::token) index = static_cast<std::size_t>(batch.tokens[row]);
      if (op.lookup == graph::Lookup::position) index = frame_.position(row);
      weights_.table_row(op.weight, index, out);
      break;
    }
    case RowOpKind::gather: {
      const float* from = frame_.rows(op.a, batch.selected[row]);
      std::copy(from, from + n, out);
      break;
    }
    case RowOpKind::rms_norm:
      kernels_.rms_norm(value(op.a, row), weights_.vector(op.weight), op.epsilon, n, out);
      break;
    case RowOpKind::layer_norm:
      kernels_.layer_norm(value(op.a, row), weights_.vector(op.weight), weights_.vector(op.bias),
                          op.epsilon, n, out);
      break;
    case RowOpKind::add:
      kernels_.add(value(op.a, row), value(op.b, row), n, out);
      break;
    case RowOpKind::scale:
      kernels_.scale(value(op.a, row), op.factor, n, out);
      break;
    case RowOpKind::activate:
      activate(op.activation, value(op.a, row), n, out);
      break;
    case RowOpKind::gated:
      gate(op.activation, value(op.a, row), value(op.b, row), n, out);
      break;
    case RowOpKind::rope_angles:
      write_angles(op.rope, frame_.position(row), out);
      break;
    case RowOpKind::prepare:
      break;
  }
}

void Runner::activate(graph::Activation activation, const float* x, std::size_t n,
                      float* out) const {
  switch (activation) {
    case graph::Activation::gelu_erf:
      kernels_.gelu_erf(x, n, out);
      break;
    case graph::Activation::gelu_tanh:
      kernels_.gelu_tanh(x, n, out);
      break;
    case graph::Activation::silu:
      kernels_.silu(x, n, out);
      break;
  }
}

/// out = activation(gate) * up; out may be gate.
void Runner::gate(graph::Activation activation, const float* gate, const float* up, std::size_t n,
                  float* out) const {
  switch (activation) {
    case graph::Activation::silu:
      kernels_.silu_multiply(gate, up, n, out);
      break;
    case graph::Activation::gelu_tanh:
      kernels_.gelu_tanh_multiply(gate, up, n, out);
      break;
    case graph::Activation::gelu_erf:
      kernels_.gelu_erf(gate, n, out);
      kernels_.multiply(out, up, n, out);
      break;
  }
}

void Runner::write_angles(graph::RopeId rope, std::size_t position, float* out) const {
  const graph::Rope& rule = program_.ropes[rope];
  for (std::size_t i = 0; i < rule.frequencies.size(); ++i) {
    const double angle = static_cast<double>(position) * rule.frequencies[i];
    out[2 * i] = static_cast<float>(std::cos(angle) * rule.magnitude);
    out[2 * i + 1] = static_cast<float>(std::sin(angle) * rule.magnitude);
  }
}

}  // namespace lore::engine::cpu
