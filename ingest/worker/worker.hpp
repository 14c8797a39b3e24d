// The parent's side: a document read in a child process, whatever the child does.
#pragma once

#include <filesystem>

#include "ingest/ingest.hpp"

namespace lore::ingest {

/// Reads a document of `format` (pdf, html or markdown) in a process of its own, started with
/// options.worker_command. The pages of a PDF that were done before that process died are kept; it
/// is started again for the pages after the one that killed it, until the time is over or several
/// in a row have read nothing; every page that was not read is marked failed. Returns a Failure
/// where not one page could be read.
///
/// The child may use options.cpu_seconds of processor time and one second more for each MiB of the
/// file; those after it a third of that together. By the clock it may take six times as long.
///
/// Throws Error{interrupted} where options.stop says so, and Error{invalid_argument} without a
/// worker_command. Thread safety: any thread.
Extraction extract_in_worker(const std::filesystem::path& path, Format format,
                             const ExtractOptions& options);

}  // namespace lore::ingest
