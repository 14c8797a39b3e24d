// The SQL function lore_similarity(a, b).
#pragma once

struct sqlite3;

namespace lore::index {

/// Adds lore_similarity(a, b): the cosine of two float32 BLOBs (little-endian) of equal size; NULL
/// where the sizes differ, are not whole floats, or a vector is zero.
void register_vector_function(sqlite3* handle);

}  // namespace lore::index
