// What the processor can do at most: instruction rates from registers, and reading memory.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lore::bench {

/// Operations (a product and a sum are two) of `iterations` rounds of independent instructions.
double run_int8_dots(std::size_t iterations);
double run_bf16_dots(std::size_t iterations);
double run_f32_fmas(std::size_t iterations);

/// Reads `bytes` bytes (a multiple of 512), 64-byte aligned; returns something that depends on all.
std::uint64_t read_memory(const std::uint8_t* data, std::size_t bytes);

}  // namespace lore::bench
