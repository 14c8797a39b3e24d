#include "engine/backend/cpu/attention.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace lore::engine::cpu {
namespace {

constexpr float kNothing = -std::numeric_limits<float>::infinity();

}  // namespace

KeyRange visible_keys(const graph::AttentionStep& step, std::size_t position, std::size_t count) {
  KeyRange range{0, count};
  if (step.causal) range.end = std::min(count, position + 1);
  if (step.window != 0 && position + 1 > step.window) range.begin = position + 1 - step.window;
  range.begin = std::min(range.begin, range.end);
  return range;
}

KeyRange Attention::spans(const HeadKeys& keys, const Queries& queries) const {
  const KeyRange first = visible_keys(step_, queries.first_position, keys.count);
  const KeyRange last = visible_keys(step_, queries.last_position(), keys.count);
  return {first.begin / kKeySpan, (last.end + kKeySpan - 1) / kKeySpan};
}

void Attention::attend(const HeadKeys& keys, const Queries& queries, Sums& sums,
                       Sums& spare) const {
  const KeyRange range = spans(keys, queries);
  for (std::size_t span = range.begin; span < range.end; ++span) {
    if (span == range.begin) {
      attend_span(keys, queries, span, sums);
    } else {
      attend_span(keys, queries, span, spare);
      merge(sums, spare, queries.rows);
    }
  }
}

void Attention::attend_span(const HeadKeys& keys, const Queries& queries, std::size_t span,
                            const Sums& sums) const {
  std::fill_n(sums.accumulator, queries.rows * step_.head_dim, 0.0F);
  std::fill_n(sums.maximum, queries.rows, kNothing);
  std::fill_n(sums.sum, queries.rows, 0.0F);
  const std::size_t begin = visible_keys(step_, queries.first_position, keys.count).begin;
  const std::size_t end =
      std::min(visible_keys(step_, queries.last_position(), keys.count).end, (span + 1) * kKeySpan);
  for (std::size_t block = std::max(span * kKeySpan, begin / kKeyBlock * kKeyBlock); block < end;
       block += kKeyBlock) {
    attend_block(keys, queries, block, std::min(kKeyBlock, end - block), sums);
  }
}

void Attention::attend_block(const HeadKeys& keys, const Queries& queries, std::size_t begin,
                             std::size_t count, const Sums& sums) const {
  std::int32_t* visible_begin = visible_;
  std::int32_t* visible_end = visible_ + kQueryBlock;
  for (std::size_t row = 0; row < queries.rows; ++row) {
    const std::size_t position = queries.first_position + row * queries.position_step;
    const KeyRange range = visible_keys(step_, position, keys.count);
    const std::size_t from = std::max(range.begin, begin) - begin;
    const std::size_t to = std::max(std::min(range.end, begin + count), begin) - begin;
    visible_end[row] = static_cast<std::int32_t>(to);
    visible_begin[row] = static_cast<std::int32_t>(std::min(from, to));
  }
  AttentionBlock block;
  block.queries = queries.data;
  block.query_stride = queries.stride;
  block.rows = queries.rows;
  block.keys = keys.key(begin);
  block.key_stride = keys.stride;
  block.values = keys.value(begin);
  block.value_stride = keys.stride;
  if (keys.pages != nullptr && begin + kKeyBlock < keys.count) {
    block.next_keys = keys.key(begin + kKeyBlock);
    block.next_values = keys.value(begin + kKeyBlock);
  }
  block.key_count = count;
  block.head_dim = step_.head_dim;
  block.format = keys.format;
  block.visible_begin = visible_begin;
  block.visible_end = visible_end;
  block.accumulator = sums.accumulator;
  block.maximum = sums.maximum;
  block.sum = sums.sum;
  block.softcap = step_.softcap;
  block.scratch = scratch_;
  kernels_.attention_block(block);
}

void Attention::merge(const Sums& into, const Sums& from, std::size_t rows) const {
  const std::size_t n = step_.head_dim;
  for (std::size_t row = 0; row < rows; ++row) {
    if (from.maximum[row] == kNothing) continue;
    float* a = into.accumulator + row * n;
    const float* b = from.accumulator + row * n;
    if (into.maximum[row] == kNothing) {
      std::copy(b, b + n, a);
      into.maximum[row] = from.maximum[row];
      into.sum[row] = from.sum[row];
      continue;
    }
    const float maximum = std::max(into.maximum[row], from.maximum[row]);
    const float old_factor = std::exp(into.maximum[row] - maximum);
    const float new_factor = std::exp(from.maximum[row] - maximum);
    for (std::size_t i = 0; i < n; ++i) a[i] = a[i] * old_factor + b[i] * new_factor;
    into.sum[row] = into.sum[row] * old_factor + from.sum[row] * new_factor;
    into.maximum[row] = maximum;
  }
}

void Attention::finish(const Sums& sums, std::size_t rows) const {
  for (std::size_t row = 0; row < rows; ++row) {
    float* values = sums.accumulator + row * step_.head_dim;
    kernels_.scale(values, 1.0F / sums.sum[row], step_.head_dim, values);
  }
}

}  // namespace lore::engine::cpu
