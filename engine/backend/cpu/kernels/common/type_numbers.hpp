// GGUF type numbers for instruction-set units, which cannot include tensor/dtype.hpp; select.cpp
// asserts that they agree.
#pragma once

#include <cstdint>

namespace lore::engine::cpu {

inline constexpr std::uint32_t kTypeF32 = 0;
inline constexpr std::uint32_t kTypeF16 = 1;
inline constexpr std::uint32_t kTypeQ4_0 = 2;
inline constexpr std::uint32_t kTypeQ4_1 = 3;
inline constexpr std::uint32_t kTypeQ5_0 = 6;
inline constexpr std::uint32_t kTypeQ5_1 = 7;
inline constexpr std::uint32_t kTypeQ8_0 = 8;
inline constexpr std::uint32_t kTypeQ2_K = 10;
inline constexpr std::uint32_t kTypeQ3_K = 11;
inline constexpr std::uint32_t kTypeQ4_K = 12;
inline constexpr std::uint32_t kTypeQ5_K = 13;
inline constexpr std::uint32_t kTypeQ6_K = 14;
inline constexpr std::uint32_t kTypeBF16 = 30;

}  // namespace lore::engine::cpu
