// How a model wants its texts to be pooled and prefixed.
#pragma once

#include <string>

#include "engine/engine.hpp"
#include "engine/gguf/metadata.hpp"

namespace lore::engine {

struct FamilyDefaults {
  Pooling pooling = Pooling::mean;
  std::string query_prefix;
  std::string passage_prefix;
};

/// From the file where it says so, else from a table by name. Throws Error{unsupported} for a
/// pooling that is not computed here.
FamilyDefaults family_defaults(const gguf::Metadata& metadata, const ModelInfo& info);

}  // namespace lore::engine
