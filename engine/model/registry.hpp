// Which families there are.
#pragma once

#include "engine/model/builder.hpp"

namespace lore::engine::model {

/// Declares the graph of the family that general.architecture names. Throws Error{unsupported} that
/// names an unknown one and lists the known.
Description build_graph(Builder& builder);

}  // namespace lore::engine::model
