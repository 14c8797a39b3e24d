#include "engine/backend/cpu/frame.hpp"

#include <algorithm>

#include "lore/error.hpp"

namespace lore::engine::cpu {
namespace {

constexpr std::size_t kAlignment = 64;

}  // namespace

void Frame::start(const Batch& batch) {
  batch_ = batch;
  const graph::Program& program = executable_.program();
  // Sections over the selected rows use the same arena.
  const std::size_t rows = std::max(batch.tokens.size(), batch.selected.size());
  if (rows > capacity_) {
    // A multiple of 64 rows keeps every array of every slot on a cache line.
    const std::size_t capacity = round_up(rows, kAlignment);
    std::size_t bytes = 0;
    if (__builtin_mul_overflow(capacity, program.arena_row_bytes, &bytes)) {
      throw Error(ErrorCode::limit_exceeded,
                  "the batch is too large; compute fewer tokens at once");
    }
    arena_ = Buffer();
    capacity_ = 0;
    arena_ = Buffer(std::max(bytes, kAlignment));
    capacity_ = capacity;
  }
  positions_.resize(batch.tokens.size());
  std::size_t longest = 0;
  for (const SequenceRows& sequence : batch.sequences) {
    longest = std::max(longest, sequence.first_position + sequence.count);
    for (std::size_t i = 0; i < sequence.count; ++i) {
      positions_[sequence.begin + i] = sequence.first_position + i;
    }
  }
  if (batch.kind == TokenKind::generated) {
    const std::size_t spans = (longest + kKeySpan - 1) / kKeySpan;
    partials_.resize(batch.sequences.size() * spans *
                     Sums::floats(program.heads, program.head_dim));
  }
}

float* Frame::rows(graph::SlotId slot, std::size_t row) {
  const graph::Slot& place = executable_.program().slots[slot];
  if (place.kind == graph::SlotKind::external) {
    float* base = slot == executable_.program().hidden_out ? batch_.hidden : batch_.logits;
    return base + row * place.width;
  }
  return arena_.as<float>(place.offset * capacity_) + row * place.width;
}

std::byte* Frame::prepared(graph::SlotId slot) {
  return arena_.data() + executable_.program().slots[slot].offset * capacity_;
}

WorkerMemory::WorkerMemory(const CpuExecutable& executable) {
  const graph::Program& program = executable.program();
  const KernelTable& kernels = executable.kernels();
  std::size_t end = 0;
  const auto take = [&](std::size_t bytes) {
    const std::size_t begin = end;
    end = round_up(begin + bytes, kAlignment);
    return begin;
  };
  take(program.local_bytes);
  tiles_ = take(2 * kMaxTileRows * kTileColumns * sizeof(float));
  matmul_ = take(kernels.matmul_scratch_bytes(program.matmul_width));
  attention_ = take(kernels.attention_scratch_floats(program.head_dim) * sizeof(float));
  sums_bytes_ = round_up(Sums::floats(kQueryBlock, program.head_dim) * sizeof(float), kAlignment);
  sums_ = take(2 * sums_bytes_);
  visible_ = take(2 * kQueryBlock * sizeof(std::int32_t));
  std::size_t widest = 0;
  for (const graph::Slot& slot : program.slots) {
    if (slot.kind == graph::SlotKind::prepared) widest = std::max(widest, slot.row_bytes);
  }
  private_ = take(widest * kPrivateCapacity);
  buffer_ = Buffer(end);
}

}  // namespace lore::engine::cpu
