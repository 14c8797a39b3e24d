#include "engine/backend/cpu/kernels/neon/vec.hpp"

// The vectors come first: what follows is written in them.
#include "engine/backend/cpu/kernels/common/chunks_inl.hpp"
