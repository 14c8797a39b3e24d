#include "engine/backend/cpu/kernels/avx2/vec.hpp"

// The vectors come first: what follows is written in them.
#include "engine/backend/cpu/kernels/common/limits_inl.hpp"

namespace lore::engine::cpu::LORE_ISA {

void set_limit_functions(KernelTable& table) {
#ifdef __AVXVNNI__
  constexpr std::size_t kRows = 6;  // 12 sums for 2 instructions a cycle of 5 cycles each
#else
  constexpr std::size_t kRows = 3;  // of 2 registers for pairs and 2 for sums each
#endif
  set_common_limits<kRows>(table);
}

}  // namespace lore::engine::cpu::LORE_ISA
