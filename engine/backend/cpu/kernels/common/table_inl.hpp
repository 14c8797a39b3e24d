// A table from the parts of an instruction set. Included by its table.cpp.
#pragma once

#include "engine/backend/cpu/kernels/common/parts.hpp"

namespace lore::engine::cpu {
namespace {

namespace isa = LORE_ISA;

void matmul_many(const MatmulTask& task) {
  if (isa::many_blocks32(task) || isa::many_blocks256(task)) return;
  isa::many_floats(task);
}

void matmul_few(const MatmulTask& task) {
  if (isa::few_blocks32(task) || isa::few_blocks256(task)) return;
  isa::few_floats(task);
}

/// Enough for ManyScratch: two corrections of 4 bytes for 32 values of 256 rows.
std::size_t matmul_scratch_bytes(std::size_t k) { return 131072 + 64 * ((k + 63) / 64 * 64); }

KernelTable make_table(const char* name) {
  KernelTable table = {};
  table.name = name;
  table.activation_for = isa::activation_for;
  table.matmul_scratch_bytes = matmul_scratch_bytes;
  table.matmul_many = matmul_many;
  table.matmul_few = matmul_few;
  table.attention_scratch_floats = isa::attention_scratch;
  table.attention_block = isa::attend_block;
  isa::set_row_functions(table);
  isa::set_limit_functions(table);
  return table;
}

}  // namespace
}  // namespace lore::engine::cpu
