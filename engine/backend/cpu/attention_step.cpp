#include <algorithm>
#include <limits>

#include "engine/backend/cpu/runner.hpp"

namespace lore::engine::cpu {
namespace {

using graph::AttentionStep;

constexpr std::size_t kEnterGrain = 16;  // rows whose keys are entered at a time

CacheFormat cache_format(KvFormat format) {
  switch (format) {
    case KvFormat::f32:
      return CacheFormat::f32;
    case KvFormat::f16:
      return CacheFormat::f16;
    case KvFormat::q8_0:
      break;
  }
  return CacheFormat::q8_0;
}

const std::byte* bytes(const float* x) { return reinterpret_cast<const std::byte*>(x); }

/// Puts a row into the cache. What its format cannot hold becomes the largest that it can: an
/// infinite value would reach even the queries that a mask hides it from, as 0 * infinity.
void store(const KernelTable& kernels, float* x, std::size_t n, KvFormat format, std::byte* out) {
  constexpr float kLargestHalf = 65504;
  void* row = out;
  const float most = format == KvFormat::f32   ? std::numeric_limits<float>::max()
                     : format == KvFormat::f16 ? kLargestHalf
                                               : kLargestHalf * 127;  // of q8_0's scale, in half
  for (std::size_t i = 0; i < n; ++i) x[i] = std::clamp(x[i], -most, most);
  if (format == KvFormat::f32) {
    std::copy(x, x + n, static_cast<float*>(row));
  } else if (format == KvFormat::f16) {
    kernels.f32_to_f16(x, n, static_cast<std::uint16_t*>(row));
  } else {
    kernels.f32_to_q8_0(x, n, row);
  }
}

}  // namespace

void Runner::run_attention(const AttentionStep& step, RowRange rows) {
  if (frame_.batch().kind == TokenKind::prompt) {
    attend_many(step, rows);
    return;
  }
  const std::size_t spans = spans_to_split(step);
  if (spans > 1) {
    attend_split(step, spans);
  } else {
    attend_few(step);
  }
}

/// Norm and rotation of one head of one token.
void Runner::turn(const AttentionStep& step, graph::WeightId norm, std::size_t row, float* head) {
  if (norm != graph::kNone) {
    kernels_.rms_norm(head, weights_.vector(norm), step.norm_epsilon, step.head_dim, head);
  }
  if (step.rope != graph::kNone) {
    const graph::Rope& rope = program_.ropes[step.rope];
    kernels_.rope(head, frame_.rows(step.angles, row), 2 * rope.frequencies.size(),
                  rope.interleaved);
  }
}

/// Makes the queries of a key-value head's group ready and puts its key and value into the cache.
void Runner::enter(const AttentionStep& step, const SequenceRows& sequence, std::size_t row,
                   std::size_t kv_head) {
  const std::size_t group = step.heads / step.kv_heads;
  const std::size_t n = step.head_dim;
  float* queries = frame_.rows(step.query, row) + kv_head * group * n;
  for (std::size_t i = 0; i < group; ++i) turn(step, step.query_norm, row, queries + i * n);
  kernels_.scale(queries, step.score_scale, group * n, queries);
  float* key = frame_.rows(step.key, row) + kv_head * n;
  turn(step, step.key_norm, row, key);
  if (sequence.cache == nullptr) return;
  KvCache& cache = *sequence.cache;
  const std::size_t position = frame_.position(row);
  const KvFormat format = cache.shape().format;
  store(kernels_, key, n, format, cache.key(step.layer, kv_head, position));
  store(kernels_, frame_.rows(step.value, row) + kv_head * n, n, format,
        cache.value(step.layer, kv_head, position));
}

HeadKeys Runner::head_keys(const AttentionStep& step, const SequenceRows& sequence,
                           std::size_t kv_head) {
  HeadKeys keys;
  keys.count = sequence.first_position + sequence.count;
  if (sequence.cache != nullptr) {
    const KvCache& cache = *sequence.cache;
    keys.pages = cache.pages();
    keys.key_offset = cache.key_offset(step.layer, kv_head);
    keys.value_offset = cache.value_offset(step.layer, kv_head);
    keys.stride = cache.row_bytes();
    keys.format = cache_format(cache.shape().format);
    return keys;
  }
  const std::size_t stride = step.kv_heads * step.head_dim;
  keys.keys = bytes(frame_.rows(step.key, sequence.begin) + kv_head * step.head_dim);
  keys.values = bytes(frame_.rows(step.value, sequence.begin) + kv_head * step.head_dim);
  keys.stride = stride * sizeof(float);
  return keys;
}

Attention Runner::attention(const AttentionStep& step) {
  return {kernels_, step, memory_.attention_scratch(), memory_.visible()};
}

Sums Runner::sums(const AttentionStep& step, std::size_t index) {
  return {memory_.sums(index), kQueryBlock, step.head_dim};
}

/// Writes the results of `heads` heads of one token, [heads, head_dim], to the step's output.
void Runner::leave(const AttentionStep& step, std::size_t row, std::size_t head, std::size_t heads,
                   const float* values) {
  const std::size_t n = heads * step.head_dim;
  const std::size_t column = head * step.head_dim;
  if (program_.slots[step.out].kind == graph::SlotKind::prepared) {
    write_prepared(step.out, row, column, values, n);
  } else {
    std::copy(values, values + n, frame_.rows(step.out, row) + column);
  }
}

/// Many tokens: all keys of the batch are entered first; then the blocks of queries that hold one
/// of `rows`, head by head.
void Runner::attend_many(const AttentionStep& step, RowRange rows) {
  const Batch& batch = frame_.batch();
  const std::size_t n = step.head_dim;
  const std::size_t group = step.heads / step.kv_heads;
  std::size_t items = 0;
  for (const SequenceRows& sequence : batch.sequences) {
    const std::size_t blocks = (sequence.count + kQueryBlock - 1) / kQueryBlock;
    items += blocks * step.kv_heads;
    team_.loop(sequence.count, kEnterGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        for (std::size_t head = 0; head < step.kv_heads; ++head) {
          enter(step, sequence, sequence.begin + i, head);
        }
      }
    });
  }
  const Attention attention = this->attention(step);
  Sums result = sums(step, 0);
  Sums spare = sums(step, 1);
  team_.loop(items, 1, [&](std::size_t begin, std::size_t) {
    std::size_t item = begin;
    const SequenceRows* sequence = batch.sequences.data();
    for (;; ++sequence) {
      const std::size_t blocks = (sequence->count + kQueryBlock - 1) / kQueryBlock;
      if (item < blocks * step.kv_heads) break;
      item -= blocks * step.kv_heads;
    }
    const std::size_t kv_head = item % step.kv_heads;
    const std::size_t first = item / step.kv_heads * kQueryBlock;
    const std::size_t count = std::min(kQueryBlock, sequence->count - first);
    const std::size_t row = sequence->begin + first;
    if (row + count <= rows.begin || row >= rows.end) return;
    const HeadKeys keys = head_keys(step, *sequence, kv_head);
    for (std::size_t head = kv_head * group; head < (kv_head + 1) * group; ++head) {
      Queries queries;
      queries.data = frame_.rows(step.query, row) + head * n;
      queries.stride = step.heads * n;
      queries.rows = count;
      queries.first_position = sequence->first_position + first;
      attention.attend(keys, queries, result, spare);
      attention.finish(result, count);
      for (std::size_t i = 0; i < count; ++i) {
        leave(step, row + i, head, 1, result.accumulator + i * n);
      }
    }
  });
}

/// The queries of one token that share a key-value head.
Queries Runner::group_queries(const AttentionStep& step, std::size_t row, std::size_t kv_head) {
  const std::size_t group = step.heads / step.kv_heads;
  Queries queries;
  queries.data = frame_.rows(step.query, row) + kv_head * group * step.head_dim;
  queries.stride = step.head_dim;
  queries.rows = group;
  queries.first_position = frame_.position(row);
  queries.position_step = 0;
  return queries;
}

/// Few tokens: one key-value head of one sequence at a time, from entering to leaving.
void Runner::attend_few(const AttentionStep& step) {
  const Batch& batch = frame_.batch();
  const std::size_t group = step.heads / step.kv_heads;
  const Attention attention = this->attention(step);
  Sums result = sums(step, 0);
  Sums spare = sums(step, 1);
  team_.loop(batch.sequences.size() * step.kv_heads, 1, [&](std::size_t item, std::size_t) {
    const SequenceRows& sequence = batch.sequences[item / step.kv_heads];
    const std::size_t kv_head = item % step.kv_heads;
    for (std::size_t i = 0; i < sequence.count; ++i) {
      enter(step, sequence, sequence.begin + i, kv_head);
    }
    const HeadKeys keys = head_keys(step, sequence, kv_head);
    for (std::size_t i = 0; i < sequence.count; ++i) {
      const Queries queries = group_queries(step, sequence.begin + i, kv_head);
      attention.attend(keys, queries, result, spare);
      attention.finish(result, group);
      leave(step, sequence.begin + i, kv_head * group, group, result.accumulator);
    }
  });
}

/// Spans of the longest sequence, where splitting it gives idle threads something to do; else 1.
std::size_t Runner::spans_to_split(const AttentionStep& step) const {
  const Batch& batch = frame_.batch();
  std::size_t longest = 0;
  for (const SequenceRows& sequence : batch.sequences) {
    if (sequence.count != 1) return 1;
    longest = std::max(longest, sequence.first_position + 1);
  }
  const std::size_t items = batch.sequences.size() * step.kv_heads;
  const bool even = items % team_.size() == 0 || items >= std::size_t{4} * team_.size();
  return even ? 1 : (longest + kKeySpan - 1) / kKeySpan;
}

/// One token a sequence, long contexts, fewer heads than threads can share evenly: spans of keys
/// are handed out, then merged in their order.
void Runner::attend_split(const AttentionStep& step, std::size_t spans) {
  const Batch& batch = frame_.batch();
  const std::size_t group = step.heads / step.kv_heads;
  const std::size_t heads = batch.sequences.size() * step.kv_heads;
  const std::size_t stride = Sums::floats(group, step.head_dim);
  const Attention attention = this->attention(step);
  team_.loop(heads, 1, [&](std::size_t item, std::size_t) {
    const SequenceRows& sequence = batch.sequences[item / step.kv_heads];
    enter(step, sequence, sequence.begin, item % step.kv_heads);
  });
  float* partials = frame_.partials();
  const auto part = [&](std::size_t item, std::size_t span) {
    return Sums(partials + (item * spans + span) * stride, group, step.head_dim);
  };
  team_.loop(heads * spans, 1, [&](std::size_t index, std::size_t) {
    const std::size_t item = index / spans;
    const SequenceRows& sequence = batch.sequences[item / step.kv_heads];
    const std::size_t kv_head = item % step.kv_heads;
    const HeadKeys keys = head_keys(step, sequence, kv_head);
    const Queries queries = group_queries(step, sequence.begin, kv_head);
    const KeyRange range = attention.spans(keys, queries);
    const std::size_t span = index % spans;
    if (span < range.begin || span >= range.end) return;
    attention.attend_span(keys, queries, span, part(item, span));
  });
  team_.loop(heads, 1, [&](std::size_t item, std::size_t) {
    const SequenceRows& sequence = batch.sequences[item / step.kv_heads];
    const std::size_t kv_head = item % step.kv_heads;
    const KeyRange range = attention.spans(head_keys(step, sequence, kv_head),
                                           group_queries(step, sequence.begin, kv_head));
    const Sums total = part(item, range.begin);
    for (std::size_t span = range.begin + 1; span < range.end; ++span) {
      attention.merge(total, part(item, span), group);
    }
    attention.finish(total, group);
    leave(step, sequence.begin, kv_head * group, group, total.accumulator);
  });
}

}  // namespace lore::engine::cpu
