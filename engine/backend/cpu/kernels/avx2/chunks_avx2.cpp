#include "engine/backend/cpu/kernels/avx2/vec.hpp"

// The vectors come first: what follows is written in them.
#include "engine/backend/cpu/kernels/common/chunks_inl.hpp"
