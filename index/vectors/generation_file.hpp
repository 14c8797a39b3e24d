// A vector index as a published file: complete and durable under its name, or not there.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "index/vectors/file_layer.hpp"
#include "index/vectors/vector_index.hpp"

namespace lore::index {

/// What tells a published file from any other content under its name.
struct PublishedFile {
  std::string name;  ///< in its folder
  std::uint64_t bytes = 0;
  std::uint64_t checksum = 0;  ///< XXH64 of the whole file
};

/// Writes to a temporary file, syncs it, renames it to a name made of its checksum, and syncs the
/// folder. Throws Error{io, no_space, read_only}.
PublishedFile publish_file(const std::filesystem::path& folder, const VectorIndex& index,
                           FileLayer& files);

/// Loads a file whose size and checksum are as published. Throws Error{not_found, io}, and
/// Error{corrupt} where anything differs.
VectorIndex load_published(const std::filesystem::path& folder, const PublishedFile& published);

/// Removes every vector file of `folder`, finished or not, but the one named `keep`.
void remove_other_files(const std::filesystem::path& folder, const std::string& keep,
                        FileLayer& files);

}  // namespace lore::index
