// The products with float weights that a unit offers. Included after the unit's vectors and its
// `HalfProducts`, which says how F16 and BF16 weights are multiplied: the activations' format, and
// many<kind>(task) and few<kind>(task).
#pragma once

#include "engine/backend/cpu/kernels/common/floats_inl.hpp"
#include "engine/backend/cpu/kernels/common/parts.hpp"
#include "engine/backend/cpu/kernels/common/type_numbers.hpp"

namespace lore::engine::cpu::LORE_ISA {

ActivationFormat activation_for(std::uint32_t weight_type) {
  switch (weight_type) {
    case kTypeF32:
      return ActivationFormat::f32;
    case kTypeF16:
    case kTypeBF16:
      return HalfProducts::kFormat;
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
      HalfProducts::many<FloatKind::f16>(task);
      return true;
    case kTypeBF16:
      HalfProducts::many<FloatKind::bf16>(task);
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
      HalfProducts::few<FloatKind::f16>(task);
      return true;
    case kTypeBF16:
      HalfProducts::few<FloatKind::bf16>(task);
      return true;
    default:
      return false;
  }
}

}  // namespace lore::engine::cpu::LORE_ISA
