// The header of one GGUF file: keys and the table of tensors.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "engine/gguf/gguf_file.hpp"
#include "engine/gguf/metadata.hpp"

namespace lore::engine::gguf {

/// What stands before the tensor data of a file.
struct Header {
  Metadata metadata;
  std::vector<TensorInfo> tensors;  ///< in file order; their data are views into the bytes
};

/// Reads and checks the header of the GGUF file whose bytes these are; `file_name` is for messages.
/// The bytes must outlive the result. Throws as GgufFile::open.
Header read_header(std::span<const std::byte> bytes, const std::string& file_name);

}  // namespace lore::engine::gguf
