// Which kernel table a machine runs.
#pragma once

#include <string_view>
#include <vector>

#include "base/simd/cpu_features.hpp"
#include "engine/backend/cpu/kernels/kernel_table.hpp"

namespace lore::engine::cpu {

/// The table for `name` ("auto", "scalar", "avx2", "avx512", "amx"), refined by the finer features
/// (VNNI, BF16) that the processor has. Throws Error{invalid_argument, unsupported}.
const KernelTable& select_kernels(const simd::CpuFeatures& features, std::string_view name);

/// Every table that the processor can run, the scalar one first, for tests: all variants, and the
/// AMX kernels over tiles in plain C++ where it has what the rest of them needs.
std::vector<const KernelTable*> all_tables(const simd::CpuFeatures& features);

}  // namespace lore::engine::cpu
