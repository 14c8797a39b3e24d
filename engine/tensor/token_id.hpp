// The number of a token.
#pragma once

#include <cstdint>

namespace lore::engine {

/// Its place in the vocabulary, from 0.
using TokenId = std::int32_t;

}  // namespace lore::engine
