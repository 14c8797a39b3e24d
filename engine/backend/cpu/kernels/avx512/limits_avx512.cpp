#include "engine/backend/cpu/kernels/avx512/vec.hpp"

// The vectors come first: what follows is written in them.
#include "engine/backend/cpu/kernels/common/limits_inl.hpp"

#ifdef __AVX512BF16__

namespace lore::engine::cpu {
namespace {

double count_bf16(std::size_t rounds) {
  const std::int32_t pair = 0x3F803F80;  // 1 and 1
  const auto ones = (__m512bh)broadcast_int(hidden(&pair));
  return count_chains<kFloatRows * kFloatPanels>(
      rounds, [&](Floats sum) LORE_INLINE_LAMBDA { return _mm512_dpbf16_ps(sum, ones, ones); });
}

}  // namespace
}  // namespace lore::engine::cpu

#endif

namespace lore::engine::cpu::LORE_ISA {

void set_limit_functions(KernelTable& table) {
  set_common_limits<kManyRows>(table);
#ifdef __AVX512BF16__
  table.count_bf16 = count_bf16;
#endif
}

}  // namespace lore::engine::cpu::LORE_ISA
