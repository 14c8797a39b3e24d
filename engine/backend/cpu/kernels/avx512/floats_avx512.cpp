#include "engine/backend/cpu/kernels/avx512/vec.hpp"

// The vectors come first: what follows is written in them.
#ifdef __AVX512BF16__

#include "engine/backend/cpu/kernels/avx512/bf16_inl.hpp"
#include "engine/backend/cpu/kernels/common/parts.hpp"
#include "engine/backend/cpu/kernels/common/type_numbers.hpp"

namespace lore::engine::cpu::LORE_ISA {

ActivationFormat activation_for(std::uint32_t weight_type) {
  switch (weight_type) {
    case kTypeF32:
      return ActivationFormat::f32;
    case kTypeF16:
    case kTypeBF16:
      return ActivationFormat::bf16;
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
      bf16_many<FloatKind::f16>(task);
      return true;
    case kTypeBF16:
      bf16_many<FloatKind::bf16>(task);
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
      bf16_few<FloatKind::f16>(task);
      return true;
    case kTypeBF16:
      bf16_few<FloatKind::bf16>(task);
      return true;
    default:
      return false;
  }
}

}  // namespace lore::engine::cpu::LORE_ISA

#else

#include "engine/backend/cpu/kernels/common/float_types_inl.hpp"

#endif
