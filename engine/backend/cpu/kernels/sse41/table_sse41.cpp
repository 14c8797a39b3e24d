#include "engine/backend/cpu/kernels/common/table_inl.hpp"

namespace lore::engine::cpu::LORE_ISA {

const KernelTable& table() {
  static const KernelTable table = make_table("sse41");
  return table;
}

}  // namespace lore::engine::cpu::LORE_ISA
