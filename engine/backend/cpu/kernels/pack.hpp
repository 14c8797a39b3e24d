// Rearranging GGUF rows into the panels that the kernels read. The same bytes for every table.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/backend/cpu/kernels/kernel_table.hpp"
#include "engine/tensor/dtype.hpp"

namespace lore::engine::cpu {

/// Bytes that a matrix [n, k] takes once packed (a multiple of 64).
std::size_t packed_bytes(DType type, std::size_t n, std::size_t k);

/// The shape of the packed matrix whose bytes will stand at `data`.
PackedMatrix packed_shape(DType type, std::size_t n, std::size_t k, const std::uint8_t* data);

/// Packs the panels [panel_begin, panel_end) of the matrix whose GGUF rows stand at `rows`
/// (n rows of row_bytes(type, k) bytes) to where `matrix` says. `out` is matrix.data, writable.
void pack_panels(const PackedMatrix& matrix, const std::byte* rows, std::size_t panel_begin,
                 std::size_t panel_end, std::uint8_t* out);

}  // namespace lore::engine::cpu
