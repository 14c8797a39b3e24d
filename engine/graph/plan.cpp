#include <algorithm>
#include <type_traits>

#include "engine/graph/fuse.hpp"
#include "engine/graph/program.hpp"
#include "engine/tensor/arena.hpp"
#include "engine/tensor/buffer.hpp"

namespace lore::engine::graph {
namespace {

constexpr std::size_t kAlignment = 64;

/// The slots that a step touches.
std::vector<SlotId> slots_of(const Step& step) {
  std::vector<SlotId> slots;
  std::visit(
      [&](const auto& s) {
        using T = std::decay_t<decltype(s)>;
        if constexpr (std::is_same_v<T, RowStep>) {
          for (const RowOp& op : s.ops) slots.insert(slots.end(), {op.a, op.b, op.out});
        } else if constexpr (std::is_same_v<T, MatmulStep>) {
          slots = {s.input, s.residual};
          for (const Product& product : s.products) slots.push_back(product.out);
        } else {
          slots = {s.query, s.key, s.value, s.out, s.angles};
        }
      },
      step);
  slots.erase(std::remove(slots.begin(), slots.end(), kNone), slots.end());
  return slots;
}

struct Use {
  std::size_t first = SIZE_MAX;
  std::size_t last = 0;
};

/// First and last step of each slot; the output sections come after the body.
std::vector<Use> lifetimes(const Program& program) {
  std::vector<Use> uses(program.slots.size());
  std::size_t index = 0;
  for (const auto* section : {&program.body, &program.hidden, &program.logits}) {
    for (const Step& step : *section) {
      for (const SlotId slot : slots_of(step)) {
        uses[slot].first = std::min(uses[slot].first, index);
        uses[slot].last = std::max(uses[slot].last, index);
      }
      ++index;
    }
  }
  return uses;
}

/// A value that never leaves its row step needs one row, not one a token.
void localize(Program& program, const std::vector<Use>& uses) {
  std::size_t index = 0;
  for (auto* section : {&program.body, &program.hidden, &program.logits}) {
    for (Step& step : *section) {
      if (std::holds_alternative<RowStep>(step)) {
        for (const SlotId id : slots_of(step)) {
          Slot& slot = program.slots[id];
          const bool inside = uses[id].first == index && uses[id].last == index;
          if (slot.kind == SlotKind::rows && inside) slot.kind = SlotKind::local;
        }
      }
      ++index;
    }
  }
}

bool writes_only(const RowStep& step, const Program& program, SlotId prepared) {
  return std::all_of(step.ops.begin(), step.ops.end(), [&](const RowOp& op) {
    return op.out == prepared || program.slots[op.out].kind == SlotKind::local;
  });
}

/// Marks the row steps that every thread may run for itself. What they read must then outlive the
/// product after them: one thread may be writing that while another still prepares its input.
void mark_private_preparation(std::vector<Step>& section, const Program& program,
                              std::vector<Use>& uses, std::size_t first_index) {
  for (std::size_t i = 0; i + 1 < section.size(); ++i) {
    auto* rows = std::get_if<RowStep>(&section[i]);
    const auto* matmul = std::get_if<MatmulStep>(&section[i + 1]);
    if (rows == nullptr || matmul == nullptr) continue;
    rows->feeds_next_only = uses[matmul->input].last == first_index + i + 1 &&
                            writes_only(*rows, program, matmul->input);
    if (!rows->feeds_next_only) continue;
    for (const SlotId id : slots_of(section[i])) {
      uses[id].last = std::max(uses[id].last, first_index + i + 1);
    }
  }
}

void set_sizes(Program& program, const PreparedRowBytes& prepared_row_bytes) {
  for (Slot& slot : program.slots) {
    if (slot.kind == SlotKind::prepared) {
      slot.row_bytes = prepared_row_bytes(slot.width, slot.readers);
      program.matmul_width = std::max(program.matmul_width, slot.width);
    } else {
      slot.row_bytes = slot.width * sizeof(float);
    }
    if (slot.kind == SlotKind::local) {
      slot.offset = program.local_bytes;
      program.local_bytes += round_up(slot.row_bytes, kAlignment);
    }
  }
}

void place_slots(Program& program, const std::vector<Use>& uses) {
  std::vector<SlotId> ids;
  std::vector<Lifetime> lives;
  for (SlotId id = 0; id < program.slots.size(); ++id) {
    const Slot& slot = program.slots[id];
    if (slot.kind != SlotKind::rows && slot.kind != SlotKind::prepared) continue;
    ids.push_back(id);
    lives.push_back({slot.row_bytes, uses[id].first, uses[id].last});
  }
  const Placement placement = place(lives);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    program.slots[ids[i]].offset = placement.offsets[i];
  }
  program.arena_row_bytes = placement.total;
}

}  // namespace

Program build_program(const Graph& graph, const PreparedRowBytes& prepared_row_bytes) {
  Program program = fuse(graph);
  std::vector<Use> uses = lifetimes(program);
  localize(program, uses);
  mark_private_preparation(program.body, program, uses, 0);
  mark_private_preparation(program.logits, program, uses,
                           program.body.size() + program.hidden.size());
  set_sizes(program, prepared_row_bytes);
  place_slots(program, uses);
  return program;
}

}  // namespace lore::engine::graph
