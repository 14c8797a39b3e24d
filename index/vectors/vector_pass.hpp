// How vectors come to what is built of them.
#pragma once

#include <cstdint>
#include <span>

#include "base/function_ref.hpp"

namespace lore::index {

/// Receives some vectors: ids [n], rows [n, dimension], row-major, unit length.
using VectorBlock =
    FunctionRef<void(std::span<const std::int64_t> ids, std::span<const float> rows)>;
/// Goes through all vectors once, in the same order each time it is called.
using VectorPass = FunctionRef<void(VectorBlock)>;

}  // namespace lore::index
