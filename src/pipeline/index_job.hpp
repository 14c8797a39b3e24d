// Library::index: options to pieces, then the pipeline.
#pragma once

#include "lore/options.hpp"
#include "lore/types.hpp"
#include "pipeline/runtime.hpp"

namespace lore::pipeline {

/// As Library::index.
IndexReport index_files(Runtime& runtime, const IndexOptions& options,
                        const IndexCallbacks& callbacks);

}  // namespace lore::pipeline
