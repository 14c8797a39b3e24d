// The memory of one batch in flight, and of one thread that works on it.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/backend/backend.hpp"
#include "engine/backend/cpu/attention.hpp"
#include "engine/backend/cpu/executable.hpp"
#include "engine/tensor/buffer.hpp"

namespace lore::engine::cpu {

/// Rows at most that a product step takes at a time, and columns.
inline constexpr std::size_t kMaxTileRows = 256;
inline constexpr std::size_t kTileColumns = 128;
/// Generated tokens up to which every thread prepares the input of a product for itself: cheaper
/// than a barrier.
inline constexpr std::size_t kPrivateRows = 2;

/// Slots of a batch, and what is known of its rows. Shared by the threads that work on it.
class Frame {
 public:
  explicit Frame(const CpuExecutable& executable) : executable_(executable) {}

  /// Makes room for the batch's tokens and notes their positions.
  void start(const Batch& batch);

  const Batch& batch() const { return batch_; }
  Regime regime() const { return batch_.kind == TokenKind::prompt ? Regime::many : Regime::few; }
  std::size_t capacity() const { return capacity_; }
  std::size_t position(std::size_t row) const { return positions_[row]; }

  /// Row `row` of a slot of float32 in the arena or outside, [width].
  float* rows(graph::SlotId slot, std::size_t row);
  /// The start of a prepared slot.
  std::byte* prepared(graph::SlotId slot);

  /// Room for the sums of every sequence, head and span of keys, for one token a sequence.
  float* partials() { return partials_.data(); }

 private:
  const CpuExecutable& executable_;
  Batch batch_;
  std::size_t capacity_ = 0;
  Buffer arena_;
  std::vector<std::size_t> positions_;
  std::vector<float> partials_;
};

/// What one thread needs for itself.
class WorkerMemory {
 public:
  explicit WorkerMemory(const CpuExecutable& executable);

  float* local(std::size_t offset) { return buffer_.as<float>(offset); }
  float* tile(std::size_t index) {  // [kMaxTileRows, kTileColumns], two of them
    return buffer_.as<float>(tiles_ + index * kMaxTileRows * kTileColumns * sizeof(float));
  }
  std::uint8_t* matmul_scratch() { return buffer_.as<std::uint8_t>(matmul_); }
  float* attention_scratch() { return buffer_.as<float>(attention_); }
  /// Sums of kQueryBlock queries; two of them.
  float* sums(std::size_t index) { return buffer_.as<float>(sums_ + index * sums_bytes_); }
  std::int32_t* visible() { return buffer_.as<std::int32_t>(visible_); }  // [2, kQueryBlock]
  std::byte* private_rows() { return buffer_.data() + private_; }         // [kPrivateCapacity]

  /// Rows for which private_rows has room: whole cache lines for every array.
  static constexpr std::size_t kPrivateCapacity = 64;

 private:
  std::size_t tiles_ = 0, matmul_ = 0, attention_ = 0, visible_ = 0, private_ = 0;
  std::size_t sums_ = 0, sums_bytes_ = 0;
  Buffer buffer_;
};

}  // namespace lore::engine::cpu
