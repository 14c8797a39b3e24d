#include "engine/backend/cpu/kernels/common/table_inl.hpp"

namespace lore::engine::cpu {

const KernelTable& scalar_table() {
  static const KernelTable table = make_table("scalar");
  return table;
}

}  // namespace lore::engine::cpu
