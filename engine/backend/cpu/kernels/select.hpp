// Which kernel table a machine runs.
#pragma once

#include <string_view>
#include <vector>

#include "base/simd/cpu_features.hpp"
#include "engine/backend/cpu/kernels/kernel_table.hpp"

namespace lore::engine::cpu {

/// The table for `name` ("auto", "scalar", "avx2", "avxvnni", "avx512", "amx"); that of avx512 is
/// refined by the finer features (VNNI, BF16) that the processor has. Throws
/// Error{invalid_argument, unsupported}.
const KernelTable& select_kernels(const simd::CpuFeatures& features, std::string_view name);

/// Every table that the processor can run, for tests: the scalar one first, then the AMX kernels
/// over tiles in plain C++, then all variants for real instructions.
std::vector<const KernelTable*> all_tables(const simd::CpuFeatures& features);

}  // namespace lore::engine::cpu
