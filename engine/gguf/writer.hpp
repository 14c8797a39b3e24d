// Writing a GGUF v3 file.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "engine/gguf/metadata.hpp"
#include "engine/tensor/dtype.hpp"

namespace lore::engine::gguf {

/// Collects keys and tensors, then writes one file, little-endian, alignment 32, atomically
/// (temporary file, fsync, rename). Thread safety: one thread at a time.
class Writer {
 public:
  /// Integer scalars are written as uint32 where they fit, else uint64 (int32/int64 for negative
  /// ones); doubles as float32.
  void set(std::string key, Value value);
  /// `shape` fastest first, as TensorInfo::shape. The bytes are copied.
  void add_tensor(std::string name, DType type, std::vector<std::size_t> shape,
                  std::span<const std::byte> data);
  /// Throws Error{io, no_space, read_only}.
  void write(const std::filesystem::path& path) const;

 private:
  struct Tensor {
    std::string name;
    DType type;
    std::vector<std::size_t> shape;
    std::vector<std::byte> data;
  };
  std::vector<std::pair<std::string, Value>> values_;
  std::vector<Tensor> tensors_;
};

}  // namespace lore::engine::gguf
