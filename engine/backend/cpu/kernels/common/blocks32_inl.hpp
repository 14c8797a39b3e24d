// Products with the formats whose blocks are 32 values. Included after an instruction set's
// vec.hpp.
#pragma once

#include "engine/backend/cpu/kernels/common/parts.hpp"
#include "engine/backend/cpu/kernels/common/quantized_inl.hpp"
#include "engine/backend/cpu/kernels/common/type_numbers.hpp"

namespace lore::engine::cpu::LORE_ISA {

bool many_blocks32(const MatmulTask& task) {
  switch (task.weights->type) {
    case kTypeQ4_0:
      quantized_many<FormatQ4_0>(task);
      return true;
    case kTypeQ4_1:
      quantized_many<FormatQ4_1>(task);
      return true;
    case kTypeQ5_0:
      quantized_many<FormatQ5_0>(task);
      return true;
    case kTypeQ5_1:
      quantized_many<FormatQ5_1>(task);
      return true;
    case kTypeQ8_0:
      quantized_many<FormatQ8_0>(task);
      return true;
    default:
      return false;
  }
}

bool few_blocks32(const MatmulTask& task) {
  switch (task.weights->type) {
    case kTypeQ4_0:
      quantized_few<FormatQ4_0>(task);
      return true;
    case kTypeQ4_1:
      quantized_few<FormatQ4_1>(task);
      return true;
    case kTypeQ5_0:
      quantized_few<FormatQ5_0>(task);
      return true;
    case kTypeQ5_1:
      quantized_few<FormatQ5_1>(task);
      return true;
    case kTypeQ8_0:
      quantized_few<FormatQ8_0>(task);
      return true;
    default:
      return false;
  }
}

}  // namespace lore::engine::cpu::LORE_ISA
