// From one row a token to one vector a text.
#pragma once

#include <cstddef>
#include <span>

#include "engine/engine.hpp"

namespace lore::engine {

/// Pools `rows` ([tokens, width], float32, at least one token) into `out`, [width]; not for
/// Pooling::none. Sums run in double precision in the order of the tokens.
void pool_rows(std::span<const float> rows, std::size_t width, Pooling pooling,
               std::span<float> out);

}  // namespace lore::engine
