// Attention of some queries over the keys of one head, block by block.
//
// Keys are walked in blocks of kKeyBlock from position 0 of the sequence; kKeySpan keys are added
// up from zero, and spans are merged in their order. These borders are fixed, so the bits of a
// result depend neither on the other queries nor on how a prompt was cut or a span was given to a
// thread.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/backend/cpu/kernels/kernel_table.hpp"
#include "engine/cache/kv_cache.hpp"
#include "engine/graph/program.hpp"

namespace lore::engine::cpu {

/// Keys that are added up before they join the ones before them; a multiple of kKeyBlock.
inline constexpr std::size_t kKeySpan = 512;
/// Query rows that are taken at a time at most.
inline constexpr std::size_t kQueryBlock = 64;

/// Running maximum and sums of softmax for [rows] queries.
struct Sums {
  float* accumulator = nullptr;  // [rows, head_dim]
  float* maximum = nullptr;      // [rows]
  float* sum = nullptr;          // [rows]

  static std::size_t floats(std::size_t rows, std::size_t head_dim) {
    return rows * (head_dim + 2);
  }
  /// Over floats(rows, head_dim) floats at `memory`.
  Sums(float* memory, std::size_t rows, std::size_t head_dim)
      : accumulator(memory),
        maximum(memory + rows * head_dim),
        sum(memory + rows * (head_dim + 1)) {}
};

/// Keys and values of one head of one sequence, from position 0.
struct HeadKeys {
  /// Of a cache: its pages, and where the head's keys and values begin in each. Null where keys and
  /// values lie one after the other at `keys` and `values`.
  const std::byte* const* pages = nullptr;
  std::size_t key_offset = 0;
  std::size_t value_offset = 0;
  const std::byte* keys = nullptr;
  const std::byte* values = nullptr;
  std::size_t stride = 0;  // from one position to the next, in bytes
  CacheFormat format = CacheFormat::f32;
  std::size_t count = 0;  // positions that hold a key

  const std::byte* key(std::size_t position) const {
    return pages == nullptr ? keys + position * stride : in_page(key_offset, position);
  }
  const std::byte* value(std::size_t position) const {
    return pages == nullptr ? values + position * stride : in_page(value_offset, position);
  }

 private:
  const std::byte* in_page(std::size_t offset, std::size_t position) const {
    return pages[position / kKvPagePositions] + offset + position % kKvPagePositions * stride;
  }
};
static_assert(kKvPagePositions % kKeyBlock == 0, "a block of keys lies in one page");

/// At most kQueryBlock queries; query i has position first_position + i * position_step (0 for
/// several heads of one token).
struct Queries {
  const float* data = nullptr;  // [rows, stride], scaled
  std::size_t stride = 0;       // in floats
  std::size_t rows = 0;
  std::size_t first_position = 0;
  std::size_t position_step = 1;

  std::size_t last_position() const { return first_position + (rows - 1) * position_step; }
};

/// The keys that a query may see: [begin, end).
struct KeyRange {
  std::size_t begin;
  std::size_t end;
};

/// By the mask of the step: causal, windowed or everything.
KeyRange visible_keys(const graph::AttentionStep& step, std::size_t position, std::size_t count);

/// Thread safety: one thread at a time; the scratch is this thread's own.
class Attention {
 public:
  /// `scratch`: attention_scratch_floats(head_dim) floats; `visible`: [2, kQueryBlock].
  Attention(const KernelTable& kernels, const graph::AttentionStep& step, float* scratch,
            std::int32_t* visible)
      : kernels_(kernels), step_(step), scratch_(scratch), visible_(visible) {}

  /// All keys that any of the queries sees. `spare` is for as many rows as `sums`.
  void attend(const HeadKeys& keys, const Queries& queries, Sums& sums, Sums& spare) const;

  /// The part of span `span` alone, from zero.
  void attend_span(const HeadKeys& keys, const Queries& queries, std::size_t span,
                   const Sums& sums) const;

  /// Adds the sums of a later span.
  void merge(const Sums& into, const Sums& from, std::size_t rows) const;

  /// Divides by the sum of weights: accumulator becomes the result.
  void finish(const Sums& sums, std::size_t rows) const;

  /// The spans that hold keys that any of the queries sees.
  KeyRange spans(const HeadKeys& keys, const Queries& queries) const;

 private:
  void attend_block(const HeadKeys& keys, const Queries& queries, std::size_t begin,
                    std::size_t count, const Sums& sums) const;

  const KernelTable& kernels_;
  const graph::AttentionStep& step_;
  float* scratch_;
  std::int32_t* visible_;
};

}  // namespace lore::engine::cpu
