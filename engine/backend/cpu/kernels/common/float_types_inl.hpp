// Products with float weights. Included after an instruction set's vec.hpp.
#pragma once

#include "engine/backend/cpu/kernels/common/floats_inl.hpp"
#include "engine/backend/cpu/kernels/common/parts.hpp"
#include "engine/backend/cpu/kernels/common/type_numbers.hpp"

namespace lore::engine::cpu::LORE_ISA {

ActivationFormat activation_for(std::uint32_t weight_type) {
  switch (weight_type) {
    case kTypeF32:
    case kTypeF16:
    case kTypeBF16:
      return ActivationFormat::f32;
    default:
      return ActivationFormat::q8;
  }
}

bool many_floats(const MatmulTask& task) {
  switch (task.weights->type) {
    case kTypeF32:
      float_many<FloatKind::f32>(task);
      return true;
    case kTypeF16:
      float_many<FloatKind::f16>(task);
      return true;
    case kTypeBF16:
      float_many<FloatKind::bf16>(task);
      return true;
    default:
      return false;
  }
}

bool few_floats(const MatmulTask& task) {
  switch (task.weights->type) {
    case kTypeF32:
      float_few<FloatKind::f32>(task);
      return true;
    case kTypeF16:
      float_few<FloatKind::f16>(task);
      return true;
    case kTypeBF16:
      float_few<FloatKind::bf16>(task);
      return true;
    default:
      return false;
  }
}

}  // namespace lore::engine::cpu::LORE_ISA
