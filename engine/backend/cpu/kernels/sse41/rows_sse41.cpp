#include "engine/backend/cpu/kernels/sse41/vec.hpp"

// The vectors come first: what follows is written in them.
#include "engine/backend/cpu/kernels/common/row_parts_inl.hpp"
