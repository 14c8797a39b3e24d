#include "engine/backend/cpu/kernels/neon/vec.hpp"

// The vectors come first: what follows is written in them.
#include "engine/backend/cpu/kernels/common/limits_inl.hpp"

namespace lore::engine::cpu::LORE_ISA {

void set_limit_functions(KernelTable& table) { set_common_limits<kManyRows>(table); }

}  // namespace lore::engine::cpu::LORE_ISA
