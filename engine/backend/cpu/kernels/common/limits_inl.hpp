// What the instructions that products are made of can do at most: loops of them over registers and
// the first-level cache, with as many independent sums as the products keep, and reading memory.
// Included after the vec.hpp of an instruction set.
//
// Every factor is 1, which the compiler does not see, so the sums count the products that were
// really computed, and what is returned is no claim.
#pragma once

#include "engine/backend/cpu/kernels/common/parts.hpp"
#include "engine/backend/cpu/kernels/kernel_table.hpp"

namespace lore::engine::cpu {
namespace {

constexpr std::size_t kLimitLine = 64;
/// Steps of a group of 32 values.
constexpr std::size_t kLimitSteps = 8;
/// Codes of 4 bits: what the instructions take fastest where pairs are summed in 16 bits.
constexpr unsigned kLimitMostCode = 15;
/// Lines that are read at a time, and how far ahead memory is asked for.
constexpr std::size_t kLinesRead = 4;
constexpr std::size_t kReadAheadBytes = 4096;

double lane_total(Ints v) {
  std::int32_t lanes[16];
  store_floats(lanes, as_floats(v));
  double total = 0;
  for (const std::int32_t lane : lanes) total += lane;
  return total;
}
double lane_total(Floats v) {
  float lanes[16];
  store_floats(lanes, v);
  double total = 0;
  for (const float lane : lanes) total += static_cast<double>(lane);
  return total;
}

/// Hides what an array holds: were two sums known to be equal, one would be computed for both.
template <typename T>
LORE_INLINE const T* hidden(const T* values) {
  hide(values);
  return values;
}

/// sums[row][panel] += the dot products of a group of codes, all of a panel's steps the same, and
/// the activations of that row.
template <std::size_t kRows, std::size_t kPanels>
LORE_INLINE void add_group_of(const Bytes (&codes)[kPanels], const std::int8_t* values,
                              const std::size_t* eighths, Ints (&sums)[kRows][kPanels]) {
  if constexpr (kPanels == 1) {
    dot_steps<kRows, kLimitSteps, kLimitMostCode>([&](auto) LORE_INLINE_LAMBDA { return codes[0]; },
                                                  values, eighths, &sums[0][0]);
  } else {
    dot_panels<kRows, kPanels, kLimitSteps>([&](auto panel, auto)
                                                LORE_INLINE_LAMBDA { return codes[panel.value]; },
                                            values, eighths, sums);
  }
}

template <std::size_t kRows>
double count_int8(std::size_t rounds) {
  constexpr std::size_t kRowBytes = kLimitSteps * 4;
  std::uint8_t ones[kManyPanels][kLimitLine];
  for (auto& line : ones) {
    for (std::uint8_t& code : line) code = 1;
  }
  std::int8_t activations[kRows * kRowBytes];
  for (std::int8_t& value : activations) value = 1;
  const auto* lines = hidden(ones);
  const std::int8_t* values = activations;
  Bytes codes[kManyPanels];
  for (std::size_t p = 0; p < kManyPanels; ++p) codes[p] = load_bytes(lines[p]);
  std::size_t eighths[kRows];
  Ints sums[kRows][kManyPanels];
  for (std::size_t r = 0; r < kRows; ++r) {
    eighths[r] = r * (kRowBytes / 8);
    if (r > 0) hide(eighths[r]);
    for (Ints& sum : sums[r]) sum = broadcast(std::int32_t{0});
  }
  for (std::size_t round = 0; round < rounds; ++round) {
    hide(values);
    add_group_of(codes, values, eighths, sums);
  }
  double products = 0;
  for (const auto& row : sums) {
    for (const Ints& sum : row) products += lane_total(sum);
  }
  return 2 * products;
}

/// The chains of float sums: `step(sum)` adds as many products to each lane as it is told, which
/// are counted. kSums of them are computed side by side.
template <std::size_t kSums, typename Step>
LORE_INLINE double count_chains(std::size_t rounds, Step step) {
  float zeros[kSums * 16] = {};
  const float* starts = hidden(zeros);
  Floats sums[kSums];
  unroll<kSums>([&](auto i) LORE_INLINE_LAMBDA { sums[i.value] = load(starts + 16 * i.value); });
  for (std::size_t round = 0; round < rounds; ++round) {
    unroll<kSums>([&](auto i) LORE_INLINE_LAMBDA { sums[i.value] = step(sums[i.value]); });
  }
  double products = 0;
  unroll<kSums>([&](auto i) LORE_INLINE_LAMBDA { products += lane_total(sums[i.value]); });
  return 2 * products;
}

double count_f32(std::size_t rounds) {
  const float one = 1;
  const Floats ones = broadcast_float(hidden(&one));
  // The sum is a factor, so that no product can be computed beforehand.
  return count_chains<kFloatRows * kFloatPanels>(
      rounds, [&](Floats sum) LORE_INLINE_LAMBDA { return multiply_add(sum, ones, ones); });
}

std::uint64_t read_lines(const std::uint8_t* data, std::size_t lines) {
  Bytes all = load_bytes(data);
  std::size_t i = 0;
  for (; i + kLinesRead <= lines; i += kLinesRead) {
    Bytes some[kLinesRead];
    unroll<kLinesRead>([&](auto line) LORE_INLINE_LAMBDA {
      const std::uint8_t* at = data + (i + line.value) * kLimitLine;
      prefetch(at + kReadAheadBytes);
      some[line.value] = load_bytes(at);
    });
    all = bit_or(all, bit_or(bit_or(some[0], some[1]), bit_or(some[2], some[3])));
  }
  for (; i < lines; ++i) all = bit_or(all, load_bytes(data + i * kLimitLine));
  std::uint8_t bytes[kLimitLine];
  store_bytes(bytes, all);
  std::uint64_t result = 0;
  for (std::size_t at = 0; at < kLimitLine; at += sizeof(result)) {
    std::uint64_t word;
    __builtin_memcpy(&word, bytes + at, sizeof(word));
    result |= word;
  }
  return result;
}

/// What every table has; the unit of one with other instructions for products puts its own.
/// kRows: as many as keep the execution units busy and their sums in registers.
template <std::size_t kRows>
LORE_INLINE void set_common_limits(KernelTable& table) {
  table.count_int8 = count_int8<kRows>;
  table.count_bf16 = nullptr;
  table.count_f32 = count_f32;
  table.read_lines = read_lines;
}

}  // namespace
}  // namespace lore::engine::cpu
