#include "engine/backend/cpu/kernels/avx512/vec.hpp"

// The vectors come first: what follows is written in them.
#ifdef __AVX512BF16__

#include "engine/backend/cpu/kernels/avx512/bf16_inl.hpp"

namespace lore::engine::cpu {
namespace {

struct HalfProducts {
  static constexpr ActivationFormat kFormat = ActivationFormat::bf16;
  template <FloatKind kKind>
  static void many(const MatmulTask& task) {
    bf16_many<kKind>(task);
  }
  template <FloatKind kKind>
  static void few(const MatmulTask& task) {
    bf16_few<kKind>(task);
  }
};

}  // namespace
}  // namespace lore::engine::cpu

#else

#include "engine/backend/cpu/kernels/common/half_products_inl.hpp"

#endif

#include "engine/backend/cpu/kernels/common/float_types_inl.hpp"
