// Ways to open an index that only this part and its tests know.
#pragma once

#include <filesystem>
#include <memory>

#include "index/index.hpp"
#include "index/vectors/file_layer.hpp"
#include "index/vectors/vector_index.hpp"

namespace lore::index {

/// What a test may put in another's place.
struct WriterOptions {
  unsigned wait_seconds = 5;
  LogSink log;
  FileLayer* files = nullptr;  ///< for vector files; null takes the system's
  std::size_t exact_codes = VectorIndex::kExactCodes;
};

std::unique_ptr<Writer> open_writer(const std::filesystem::path& folder,
                                    const ModelFingerprint& model, const WriterOptions& options);

}  // namespace lore::index
