// F16 and BF16 weights multiplied in float32: for units without products of 16-bit floats.
#pragma once

#include "engine/backend/cpu/kernels/common/floats_inl.hpp"

namespace lore::engine::cpu {
namespace {

struct HalfProducts {
  static constexpr ActivationFormat kFormat = ActivationFormat::f32;
  template <FloatKind kKind>
  static void many(const MatmulTask& task) {
    float_many<kKind>(task);
  }
  template <FloatKind kKind>
  static void few(const MatmulTask& task) {
    float_few<kKind>(task);
  }
};

}  // namespace
}  // namespace lore::engine::cpu
