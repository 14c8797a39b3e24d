#include "engine/backend/cpu/kernels/common/table_inl.hpp"

namespace lore::engine::cpu::LORE_ISA {

const KernelTable& table() {
#ifdef __AVXVNNI__
  static const KernelTable table = make_table("avxvnni");
#else
  static const KernelTable table = make_table("avx2");
#endif
  return table;
}

}  // namespace lore::engine::cpu::LORE_ISA
