// From the nodes of a graph to the steps of a program.
#pragma once

#include "engine/graph/program.hpp"

namespace lore::engine::graph {

/// Lowers the graph to steps over slots that have no place yet:
///  * linear nodes over the same input become one product step, so that the input is prepared
///    (quantized) once: query, key and value; gate and up;
///  * an activation, a gate or a residual addition that alone reads a product is applied to each
///    tile of it while it is in the cache;
///  * norms over heads and rotations become part of attention;
///  * neighbouring row operations run as one pass over each row, preparing included.
Program fuse(const Graph& graph);

}  // namespace lore::engine::graph
