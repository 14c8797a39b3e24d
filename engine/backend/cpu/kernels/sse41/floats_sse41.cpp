#include "engine/backend/cpu/kernels/sse41/vec.hpp"

// The vectors come first: what follows is written in them.
#include "engine/backend/cpu/kernels/common/half_products_inl.hpp"

#include "engine/backend/cpu/kernels/common/float_types_inl.hpp"
