// What is taken for a sane hyper-parameter. Wide enough for any published model; narrow enough that
// products of two of them cannot overflow.
#pragma once

#include <cstddef>

namespace lore::engine::model {

inline constexpr std::size_t kMostLayers = 4096;
inline constexpr std::size_t kMostWidth = std::size_t{1} << 22;
inline constexpr std::size_t kMostHeads = std::size_t{1} << 16;
inline constexpr std::size_t kMostHeadDim = std::size_t{1} << 14;
inline constexpr std::size_t kMostContext = std::size_t{1} << 30;

}  // namespace lore::engine::model
