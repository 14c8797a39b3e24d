// The parent's side: a PDF read in a child process, whatever the child does.
#pragma once

#include <filesystem>

#include "ingest/ingest.hpp"

namespace lore::ingest {

/// Reads a PDF in a process of its own, started with options.worker_command. Pages that were done
/// before that process died are kept; it is started once more for the pages after the one that
/// killed it; every page that was not read is marked failed. Returns a Failure where not one page
/// could be read.
///
/// The child may use options.cpu_seconds of processor time and one second more for each MiB of the
/// file; a second child a third of that. It is killed after six times as long by the clock.
///
/// Throws Error{interrupted} where options.stop says so, and Error{invalid_argument} without a
/// worker_command. Thread safety: any thread.
Extraction extract_in_worker(const std::filesystem::path& path, const ExtractOptions& options);

}  // namespace lore::ingest
