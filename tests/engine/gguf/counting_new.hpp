// This program's operator new, which remembers the largest allocation.
#pragma once

#include <cstddef>

namespace lore::test {

/// Forgets what was allocated so far.
void reset_largest_allocation() noexcept;
/// Bytes of the largest single allocation since then, by any thread.
std::size_t largest_allocation() noexcept;

}  // namespace lore::test
