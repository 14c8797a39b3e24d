#include "engine/backend/cpu/kernels/avx512/vec.hpp"

// The vectors come first: what follows is written in them.
#include "engine/backend/cpu/kernels/common/limits_inl.hpp"

#ifdef __AVX512BF16__

namespace lore::engine::cpu {
namespace {

double count_bf16(std::size_t rounds) {
  constexpr std::size_t kSums = kFloatRows * kFloatPanels;
  const std::int32_t pair = 0x3F803F80;  // 1 and 1
  const std::int32_t* pair_at = &pair;
  hide(pair_at);
  Floats sums[kSums];
  LORE_UNROLL
  for (std::size_t i = 0; i < kSums; ++i) sums[i] = zero_floats();
  for (std::size_t round = 0; round < rounds; ++round) {
    hide(pair_at);
    const auto ones = (__m512bh)broadcast(*pair_at);
    unroll<kSums>([&](auto i) LORE_INLINE_LAMBDA {
      sums[i.value] = _mm512_dpbf16_ps(sums[i.value], ones, ones);
    });
  }
  double products = 0;
  unroll<kSums>([&](auto i) LORE_INLINE_LAMBDA { products += lane_total(sums[i.value]); });
  return 2 * products;
}

}  // namespace
}  // namespace lore::engine::cpu

#endif

namespace lore::engine::cpu::LORE_ISA {

void set_limit_functions(KernelTable& table) {
  set_common_limits(table);
#ifdef __AVX512BF16__
  table.count_bf16 = count_bf16;
#endif
}

}  // namespace lore::engine::cpu::LORE_ISA
