// Reading safetensors files: a JSON header that names tensors, then their bytes.
// Source: the safetensors format description (README of huggingface/safetensors).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.hpp"

namespace lore::engine::convert {

/// A tensor as the header has it.
struct SafeTensor {
  std::string name;
  std::string dtype;               ///< "F32", "BF16", "I64", …
  std::vector<std::size_t> shape;  ///< slowest-running size first
  std::uint64_t begin = 0;         ///< bytes in the file, [begin, end)
  std::uint64_t end = 0;
};

/// One open file. Every size and offset of the header is checked against the file before it is
/// used: each tensor lies inside, has as many bytes as shape and type ask for, overlaps no other,
/// and together they fill the file.
///
/// Thread safety: immutable after opening; any thread may read.
class SafetensorsFile {
 public:
  /// Throws Error{not_found, io}, Error{corrupt} that names file and tensor.
  explicit SafetensorsFile(std::filesystem::path path);

  const std::filesystem::path& path() const { return path_; }
  /// In the order of the file's bytes.
  const std::vector<SafeTensor>& tensors() const { return tensors_; }
  /// The values of a tensor of this file as float32; its dtype must be F32, F16, BF16 or F64.
  /// Throws Error{unsupported, io, corrupt}.
  std::vector<float> read_floats(const SafeTensor& tensor) const;

 private:
  void read_at(std::uint64_t offset, void* bytes, std::size_t size) const;
  void read_header();
  void check_layout(std::uint64_t data_begin, std::uint64_t file_size) const;
  [[noreturn]] void fail(const std::string& what, const std::string& tensor = {}) const;

  std::filesystem::path path_;
  FileDescriptor file_;
  std::vector<SafeTensor> tensors_;
};

/// All weight files of a folder: model.safetensors, or the parts that
/// model.safetensors.index.json names. Throws as SafetensorsFile; not_found where there is neither.
std::vector<SafetensorsFile> open_weights(const std::filesystem::path& folder);

}  // namespace lore::engine::convert
