// Which kernel table a machine runs.
#pragma once

#include <string_view>
#include <vector>

#include "base/simd/cpu_features.hpp"
#include "engine/backend/cpu/kernels/kernel_table.hpp"

namespace lore::engine::cpu {

/// The table for `name` ("auto", "scalar", "sse41", "avx2", "avxvnni", "avx512", "amx", "neon");
/// those of avx512 and neon are refined by the finer features that the processor has (VNNI and
/// BF16, dot products and matrix products of bytes). Throws Error{invalid_argument, unsupported}.
const KernelTable& select_kernels(const simd::CpuFeatures& features, std::string_view name);

/// Every table that the processor can run, for tests: the scalar one first, then the AMX kernels
/// over tiles in plain C++, then all variants for real instructions.
std::vector<const KernelTable*> all_tables(const simd::CpuFeatures& features);

}  // namespace lore::engine::cpu
