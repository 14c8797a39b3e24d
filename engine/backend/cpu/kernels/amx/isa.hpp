// What the AMX kernels are written in: AVX-512 vectors and real tiles, or plain vectors and tiles.
#pragma once

#ifdef LORE_EMULATED_TILES
#include "engine/backend/cpu/kernels/amx/tiles_emulated.hpp"
#include "engine/backend/cpu/kernels/scalar/vec.hpp"
#else
#include "engine/backend/cpu/kernels/amx/tiles.hpp"
#include "engine/backend/cpu/kernels/avx512/vec.hpp"
#endif
