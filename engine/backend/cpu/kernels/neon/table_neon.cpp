#include "engine/backend/cpu/kernels/common/table_inl.hpp"

namespace lore::engine::cpu::LORE_ISA {

const KernelTable& table() {
  static const KernelTable table = make_table("neon");
  return table;
}

}  // namespace lore::engine::cpu::LORE_ISA
