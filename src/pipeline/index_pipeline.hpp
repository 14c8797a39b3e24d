// Files to stored, searchable chunks.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "index/index.hpp"
#include "ingest/ingest.hpp"
#include "lore/options.hpp"
#include "lore/types.hpp"

namespace lore::pipeline {

/// What the pipeline joins; tests put other things here.
struct IndexPieces {
  index::Writer& writer;
  engine::Embedder& embedder;
  /// Called from another thread than the rest.
  std::function<ingest::Extraction(const std::filesystem::path&)> extract;
  std::function<std::string(const std::filesystem::path&)> hash;
};

struct IndexRun {
  ingest::WalkResult walk;
  ingest::WalkResult outside;  ///< files below the roots that this run's globs leave out
  std::vector<std::filesystem::path> roots;  ///< as given to the walk
  std::filesystem::path base;                ///< the folder that holds the index
  ingest::ChunkOptions chunking;
  bool retry = false;
  bool has_passwords = false;
  std::size_t batch_tokens = 2048;
};

/// Brings the writer's index up to date: each document is one transaction, failures are recorded,
/// every file of the walk is accounted for in the report. Throws Error{interrupted} after the
/// document in hand where callbacks.stop says so, and what the writer throws.
IndexReport run_index(const IndexPieces& pieces, const IndexRun& run,
                      const IndexCallbacks& callbacks);

/// Cuts a document and computes its vectors ([chunks, dimension], row-major).
struct PreparedDocument {
  index::DocumentRecord record;
  std::vector<float> vectors;
};
PreparedDocument prepare_document(const ingest::Document& document, engine::Embedder& embedder,
                                  const ingest::ChunkOptions& chunking, std::size_t batch_tokens,
                                  const std::function<void(std::size_t tokens)>& on_tokens = {});

}  // namespace lore::pipeline
