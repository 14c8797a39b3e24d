// Which kernel table a machine runs.
#pragma once

#include <string_view>

#include "base/simd/cpu_features.hpp"
#include "engine/backend/cpu/kernels/kernel_table.hpp"

namespace lore::engine::cpu {

/// The table for `name` ("auto", "scalar", "avx2", "avx512", "amx"), refined by the finer features
/// (VNNI, BF16) that the processor has. Throws Error{invalid_argument, unsupported}.
const KernelTable& select_kernels(const simd::CpuFeatures& features, std::string_view name);

}  // namespace lore::engine::cpu
