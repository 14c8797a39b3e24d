// The row operations and attention of an instruction set. Included after its vec.hpp.
#pragma once

#include "engine/backend/cpu/kernels/common/attention_inl.hpp"
#include "engine/backend/cpu/kernels/common/parts.hpp"
#include "engine/backend/cpu/kernels/common/rows_inl.hpp"

namespace lore::engine::cpu::LORE_ISA {

std::size_t attention_scratch(std::size_t head_dim) { return attention_scratch_floats(head_dim); }
void attend_block(const AttentionBlock& block) { attention_block(block); }

void set_row_functions(KernelTable& table) {
  table.fused = kFused;
  table.quantize_q8 = quantize_q8;
  table.convert_bf16 = convert_bf16;
  table.f32_to_f16 = f32_to_f16;
  table.f16_to_f32 = f16_to_f32;
  table.f32_to_q8_0 = f32_to_q8_0;
  table.rms_norm = rms_norm;
  table.layer_norm = layer_norm;
  table.add = add_rows;
  table.multiply = multiply_rows;
  table.scale = scale_row;
  table.gelu_erf = gelu_erf;
  table.gelu_tanh = gelu_tanh;
  table.silu = silu;
  table.silu_multiply = silu_multiply;
  table.gelu_tanh_multiply = gelu_tanh_multiply;
  table.rope = rope;
  table.dot = dot;
}

}  // namespace lore::engine::cpu::LORE_ISA
