#include "engine/backend/cpu/kernels/amx/isa.hpp"

// The vectors come first: what follows is written in them.
#include "engine/backend/cpu/kernels/common/blocks256_inl.hpp"
