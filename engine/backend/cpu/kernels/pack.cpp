#include "engine/backend/cpu/kernels/pack.hpp"

#include <cstring>

#include "engine/backend/cpu/kernels/panel_layout.hpp"
#include "engine/quant/fields.hpp"
#include "engine/quant/half.hpp"

namespace lore::engine::cpu {
namespace {

constexpr std::size_t kStepBytes = 64;
constexpr std::size_t kSteps = 8;  // of a group of 32 values

constexpr std::size_t divide_up(std::size_t a, std::size_t b) { return (a + b - 1) / b; }

const PanelBlock* panel_block(DType type) {
  switch (type) {
    case DType::q4_0:
      return &kPanelQ4_0;
    case DType::q4_1:
      return &kPanelQ4_1;
    case DType::q5_0:
      return &kPanelQ5_0;
    case DType::q5_1:
      return &kPanelQ5_1;
    case DType::q8_0:
      return &kPanelQ8_0;
    case DType::q2_k:
      return &kPanelQ2_K;
    case DType::q3_k:
      return &kPanelQ3_K;
    case DType::q4_k:
      return &kPanelQ4_K;
    case DType::q5_k:
      return &kPanelQ5_K;
    case DType::q6_k:
      return &kPanelQ6_K;
    case DType::f32:
    case DType::f16:
    case DType::bf16:
      break;
  }
  return nullptr;
}

std::size_t panel_bytes(DType type, std::size_t k) {
  if (type == DType::f32) return k * kStepBytes;
  const PanelBlock* block = panel_block(type);
  if (block == nullptr) return divide_up(k, 2) * kStepBytes;
  return divide_up(k / kActivationGroup, block->groups) * block->bytes;
}

// Sixteen values of 4 bytes or pairs of 2 bytes, one row after another into column `row`.
void pack_float_row(DType type, const std::byte* row, std::size_t k, std::size_t lane,
                    std::uint8_t* panel) {
  const std::size_t bytes = row_bytes(type, k);
  const std::size_t whole = bytes / 4;
  for (std::size_t i = 0; i < whole; ++i) {
    std::memcpy(panel + i * kStepBytes + lane * 4, row + i * 4, 4);
  }
  if (bytes % 4 != 0) {
    std::memcpy(panel + whole * kStepBytes + lane * 4, row + whole * 4, bytes % 4);
  }
}

using Steps = std::uint8_t[kSteps][kStepBytes];

/// Combines the steps' bits [shift, shift + bits) into lines of 8 / bits steps each.
std::uint8_t* write_lines(const Steps& steps, std::size_t shift, std::size_t bits,
                          std::uint8_t* out) {
  // Eight bytes at a time: what a shift brings over from a neighbour, the mask takes away.
  using Word = std::uint64_t;
  constexpr Word kEachByte = 0x0101010101010101U;
  const std::size_t per_line = 8 / bits;
  const std::size_t lines = kSteps / per_line;
  const Word mask = kEachByte * ((1U << bits) - 1U);
  for (std::size_t line = 0; line < lines; ++line) {
    Word words[kStepBytes / sizeof(Word)] = {};
    for (std::size_t part = 0; part < per_line; ++part) {
      // Halves pair step i with i + 4; quarters and bits hold consecutive steps.
      const std::size_t step = bits == 4 ? line + part * lines : line * per_line + part;
      Word values[kStepBytes / sizeof(Word)];
      std::memcpy(values, steps[step], kStepBytes);
      for (std::size_t i = 0; i < kStepBytes / sizeof(Word); ++i) {
        words[i] |= ((values[i] >> shift) & mask) << (part * bits);
      }
    }
    std::memcpy(out, words, kStepBytes);
    out += kStepBytes;
  }
  return out;
}

void write_group(const PanelBlock& layout, const Steps& steps, std::uint8_t* out) {
  out = write_lines(steps, 0, layout.low_bits, out);
  if (layout.high_bits != 0) write_lines(steps, layout.low_bits, layout.high_bits, out);
}

void write_half(std::uint8_t* to, std::uint16_t half) { std::memcpy(to, &half, sizeof(half)); }

/// The scales of one file block of row `lane`, in group `first` of the panel block at `out`.
void write_scales(DType type, const BlockFields& fields, std::size_t first, std::size_t lane,
                  std::uint8_t* out) {
  std::uint8_t* scales = out + kStepBytes + lane;
  switch (type) {
    case DType::q4_0:
    case DType::q5_0:
    case DType::q8_0:
      return write_half(out + first * 32 + lane * 2, fields.d);
    case DType::q4_1:
    case DType::q5_1:
      write_half(out + lane * 2, fields.d);
      return write_half(out + 32 + lane * 2, fields.dmin);
    case DType::q2_k:
      write_half(out + lane * 2, fields.d);
      write_half(out + 32 + lane * 2, fields.dmin);
      for (std::size_t i = 0; i < 16; ++i) {
        const int low = fields.scales[i];
        scales[i * 16] = static_cast<std::uint8_t>(low | (fields.minimums[i] << 4));
      }
      return;
    case DType::q4_k:
    case DType::q5_k:
      write_half(out + lane * 2, fields.d);
      write_half(out + 32 + lane * 2, fields.dmin);
      for (std::size_t i = 0; i < 8; ++i) {
        scales[i * 32] = static_cast<std::uint8_t>(fields.scales[i]);
        scales[i * 32 + 16] = fields.minimums[i];
      }
      return;
    case DType::q3_k:
    case DType::q6_k: {
      const float d = f16_to_f32(fields.d);
      std::memcpy(out + lane * 4, &d, sizeof(d));
      for (std::size_t i = 0; i < 16; ++i) {
        scales[i * 16] = static_cast<std::uint8_t>(fields.scales[i]);
      }
      return;
    }
    case DType::f32:
    case DType::f16:
    case DType::bf16:
      return;
  }
}

/// The file blocks at `index` of up to 16 rows, `stride` bytes apart.
void pack_file_blocks(DType type, const PanelBlock& layout, const std::byte* rows,
                      std::size_t stride, std::size_t row_count, std::size_t index,
                      std::uint8_t* panel) {
  const BlockShape shape = block_shape(type);
  const std::size_t groups = shape.values / kActivationGroup;
  const std::size_t first_group = index * groups;
  std::uint8_t* block = panel + first_group / layout.groups * layout.bytes;
  const std::size_t first = first_group % layout.groups;
  Steps steps[8] = {};
  for (std::size_t lane = 0; lane < row_count; ++lane) {
    BlockFields fields;
    unpack_fields(type, rows + lane * stride + index * shape.bytes, fields);
    write_scales(type, fields, first, lane, block);
    for (std::size_t step = 0; step < groups * kSteps; ++step) {
      std::memcpy(&steps[step / kSteps][step % kSteps][lane * 4], fields.codes + step * 4, 4);
    }
  }
  for (std::size_t g = 0; g < groups; ++g) {
    write_group(layout, steps[g], block + layout.codes + (first + g) * layout.group_bytes);
  }
}

/// Asks for block `index` of 16 rows that lie one after another at `panel`, taken as one stream:
/// the processor does not foresee sixteen of them.
void prefetch_share(const std::byte* panel, std::size_t block_bytes, std::size_t index) {
  const std::byte* share = panel + index * block_bytes * kPanelRows;
  for (std::size_t i = 0; i < block_bytes * kPanelRows; i += kStepBytes) {
    __builtin_prefetch(share + i);
  }
}

}  // namespace

std::size_t packed_bytes(DType type, std::size_t n, std::size_t k) {
  return divide_up(n, kPanelRows) * panel_bytes(type, k);
}

PackedMatrix packed_shape(DType type, std::size_t n, std::size_t k, const std::uint8_t* data) {
  PackedMatrix matrix;
  matrix.data = data;
  matrix.type = static_cast<std::uint32_t>(type);
  matrix.n = n;
  matrix.k = k;
  matrix.panels = divide_up(n, kPanelRows);
  matrix.panel_bytes = panel_bytes(type, k);
  return matrix;
}

void pack_panels(const PackedMatrix& matrix, const std::byte* rows, std::size_t panel_begin,
                 std::size_t panel_end, std::uint8_t* out) {
  const auto type = static_cast<DType>(matrix.type);
  const PanelBlock* layout = panel_block(type);
  const std::size_t stride = row_bytes(type, matrix.k);
  for (std::size_t p = panel_begin; p < panel_end; ++p) {
    const std::size_t first = p * kPanelRows;
    const std::size_t left = matrix.n - first;
    const std::size_t count = left < kPanelRows ? left : kPanelRows;
    std::uint8_t* panel = out + p * matrix.panel_bytes;
    std::memset(panel, 0, matrix.panel_bytes);
    const std::byte* first_row = rows + first * stride;
    if (layout == nullptr) {
      for (std::size_t lane = 0; lane < count; ++lane) {
        pack_float_row(type, first_row + lane * stride, matrix.k, lane, panel);
      }
      continue;
    }
    const BlockShape shape = block_shape(type);
    const std::size_t blocks = matrix.k / shape.values;
    const bool whole_panel_follows = left >= 2 * kPanelRows;
    for (std::size_t i = 0; i < blocks; ++i) {
      if (whole_panel_follows) prefetch_share(first_row + kPanelRows * stride, shape.bytes, i);
      pack_file_blocks(type, *layout, first_row, stride, count, i, panel);
    }
  }
}

}  // namespace lore::engine::cpu
