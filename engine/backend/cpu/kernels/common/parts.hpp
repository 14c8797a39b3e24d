// The functions that the translation units of one instruction set offer to its table. LORE_ISA is
// a name that CMake gives each set of units, so that several sets can be linked together.
#pragma once

#include "engine/backend/cpu/kernels/kernel_table.hpp"

namespace lore::engine::cpu {

/// Groups [begin, end) of some panels, unpacked (quantized_inl.hpp), the corrections of the rows
/// that meet them, [rows, groups of the whole row], and the sums of those rows over earlier chunks:
/// kept apart from the output, whose rows are far apart and evict each other.
struct UnpackedChunk {
  const std::uint8_t* data;  // [panels, UnpackedGroup<F>::kPanelBytes]
  const std::uint8_t* corrections;
  float* sums;        // [panels, kBlockRows, 16]
  std::size_t panel;  // the first
  std::size_t panels;
  std::size_t begin;
  std::size_t end;
};

/// Memory to be asked for while a chunk is multiplied: [at, end) and the same one panel further, a
/// few lines with each group.
struct Ahead {
  const std::uint8_t* at;
  const std::uint8_t* end;
  std::size_t panel_bytes;
  std::size_t lines;  // with each group
};

namespace LORE_ISA {

// The rows [row, row + rows) of the activations times a chunk of any format with scales for 32 or
// 16 values, symmetric or with a minimum; `bytes32` are the codes of 8 bits. Results go to the
// chunk's sums, and with the last chunk to the task's output.
void chunk_symmetric32(const MatmulTask& task, const UnpackedChunk& chunk, std::size_t row,
                       std::size_t rows, Ahead& ahead);
void chunk_bytes32(const MatmulTask& task, const UnpackedChunk& chunk, std::size_t row,
                   std::size_t rows, Ahead& ahead);
void chunk_minimum32(const MatmulTask& task, const UnpackedChunk& chunk, std::size_t row,
                     std::size_t rows, Ahead& ahead);
void chunk_symmetric16(const MatmulTask& task, const UnpackedChunk& chunk, std::size_t row,
                       std::size_t rows, Ahead& ahead);
void chunk_minimum16(const MatmulTask& task, const UnpackedChunk& chunk, std::size_t row,
                     std::size_t rows, Ahead& ahead);

// Products of the formats with blocks of 32 values, of 256, and of floats; false when the matrix
// has another type.
bool many_blocks32(const MatmulTask& task);
bool few_blocks32(const MatmulTask& task);
bool many_blocks256(const MatmulTask& task);
bool few_blocks256(const MatmulTask& task);
bool many_floats(const MatmulTask& task);
bool few_floats(const MatmulTask& task);
ActivationFormat activation_for(std::uint32_t weight_type);

std::size_t attention_scratch(std::size_t head_dim);
void attend_block(const AttentionBlock& block);

/// Fills the table's row functions, and `fused` as the set's vectors have it.
void set_row_functions(KernelTable& table);
/// Fills the table's functions for measuring limits.
void set_limit_functions(KernelTable& table);

}  // namespace LORE_ISA
}  // namespace lore::engine::cpu
