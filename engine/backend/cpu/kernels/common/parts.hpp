// The functions that the translation units of one instruction set offer to its table. LORE_ISA is
// a name that CMake gives each set of units, so that several sets can be linked together.
#pragma once

#include "engine/backend/cpu/kernels/kernel_table.hpp"

namespace lore::engine::cpu::LORE_ISA {

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

/// Fills the table's row functions.
void set_row_functions(KernelTable& table);

}  // namespace lore::engine::cpu::LORE_ISA
