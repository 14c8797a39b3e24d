// exp in additions and multiplications only, so that all machines draw the same token.
#pragma once

namespace lore::engine {

/// e to the power `x` for x <= 0, relative error below 1e-15; 0 below -700. The C library's differs
/// in the last bit from version to version, which is enough to move a draw.
double portable_exp(double x) noexcept;

}  // namespace lore::engine
