// A GGUF model file: typed metadata and tensors, checked as they are read.
// Source: the GGUF specification, versions 2 and 3 (ggml's docs/gguf.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/gguf/metadata.hpp"
#include "engine/tensor/dtype.hpp"

namespace lore::engine::gguf {

/// A tensor as the file has it.
struct TensorInfo {
  std::string name;
  DType type = DType::f32;
  /// Sizes, the fastest-running first, as in the file: a weight matrix of n outputs and k inputs
  /// has {k, n}. One to four of them.
  std::vector<std::size_t> shape;
  /// The bytes in the mapped file, row after row; valid as long as the file is open.
  std::span<const std::byte> data;

  std::size_t columns() const { return shape.empty() ? 1 : shape[0]; }
  std::size_t rows() const;
};

/// An open model: one file, or all files of a split one (name-00001-of-00003.gguf, opened by the
/// first). Every count, length and offset is checked against the bytes that are left before it is
/// used or anything is allocated.
///
/// Thread safety: immutable after opening; any thread may read.
class GgufFile {
 public:
  /// Maps and reads the header. Throws Error{not_found, io}, Error{corrupt} naming file and key or
  /// tensor where the file breaks the format (truncated, counts that lie, a tensor outside the
  /// file, duplicate names), Error{unsupported} for version 1, foreign byte order and tensor types
  /// that the engine does not compute with.
  static GgufFile open(const std::filesystem::path& path);

  GgufFile(GgufFile&&) noexcept;
  GgufFile& operator=(GgufFile&&) noexcept;
  ~GgufFile();

  const std::filesystem::path& path() const { return paths()[0]; }
  /// Of all files, in the order of their parts.
  std::span<const std::filesystem::path> paths() const;
  const Metadata& metadata() const;
  std::span<const TensorInfo> tensors() const;
  /// The tensor of that name, or null.
  const TensorInfo* find(std::string_view name) const;
  /// The tensor of that name. Throws Error{corrupt} that names file and tensor.
  const TensorInfo& require(std::string_view name) const;
  /// Bytes of all files together.
  std::uint64_t size_bytes() const;
  /// Tells the system that the mapped bytes of this tensor will not be read again soon (they were
  /// packed into memory of ours): they leave the resident set.
  void release(const TensorInfo& tensor) const;

 private:
  struct State;
  explicit GgufFile(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace lore::engine::gguf
