// A file mapped into memory for reading.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <utility>

namespace lore::engine::gguf {

/// Owns a read-only mapping of a whole file. Pages are loaded when they are first read.
///
/// Thread safety: immutable; any thread may read.
class MappedFile {
 public:
  /// Throws Error{not_found, io}; what is not a regular file (a folder, a pipe) is refused.
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
  MappedFile& operator=(MappedFile&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    return *this;
  }

  std::span<const std::byte> bytes() const noexcept { return bytes_; }

  /// Lets the whole pages inside `part` (of bytes()) leave memory; they come back when read again.
  void release(std::span<const std::byte> part) const noexcept;

 private:
  std::span<std::byte> bytes_;
};

}  // namespace lore::engine::gguf
