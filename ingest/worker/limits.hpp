// What a worker process may not do, set by itself before it looks at the document.
#pragma once

#include "ingest/worker/protocol.hpp"

namespace lore::ingest::worker {

/// Limits this process for good: address space (left out in sanitizer builds, whose shadow memory
/// needs terabytes of it), processor time, file size zero, few descriptors, no core dumps; where
/// the kernel lets it, no new processes, no network, no way to open or change a file for writing.
/// False where a limit could not be set.
bool apply_limits(const Request& request);

}  // namespace lore::ingest::worker
