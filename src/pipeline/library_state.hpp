// The inside of Library.
#pragma once

#include <memory>

#include "lore/library.hpp"
#include "pipeline/runtime.hpp"

namespace lore {

struct Library::State {
  std::shared_ptr<pipeline::Runtime> runtime;
};

}  // namespace lore
