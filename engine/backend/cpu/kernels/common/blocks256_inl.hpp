// Products with the formats whose blocks are 256 values. Included after an instruction set's
// vec.hpp.
#pragma once

#include "engine/backend/cpu/kernels/common/parts.hpp"
#include "engine/backend/cpu/kernels/common/quantized_inl.hpp"
#include "engine/backend/cpu/kernels/common/type_numbers.hpp"

namespace lore::engine::cpu::LORE_ISA {

bool many_blocks256(const MatmulTask& task) {
  switch (task.weights->type) {
    case kTypeQ2_K:
      quantized_many<FormatQ2_K>(task);
      return true;
    case kTypeQ3_K:
      quantized_many<FormatQ3_K>(task);
      return true;
    case kTypeQ4_K:
      quantized_many<FormatQ4_K>(task);
      return true;
    case kTypeQ5_K:
      quantized_many<FormatQ5_K>(task);
      return true;
    case kTypeQ6_K:
      quantized_many<FormatQ6_K>(task);
      return true;
    default:
      return false;
  }
}

bool few_blocks256(const MatmulTask& task) {
  switch (task.weights->type) {
    case kTypeQ2_K:
      quantized_few<FormatQ2_K>(task);
      return true;
    case kTypeQ3_K:
      quantized_few<FormatQ3_K>(task);
      return true;
    case kTypeQ4_K:
      quantized_few<FormatQ4_K>(task);
      return true;
    case kTypeQ5_K:
      quantized_few<FormatQ5_K>(task);
      return true;
    case kTypeQ6_K:
      quantized_few<FormatQ6_K>(task);
      return true;
    default:
      return false;
  }
}

}  // namespace lore::engine::cpu::LORE_ISA
