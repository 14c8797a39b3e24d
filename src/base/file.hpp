// Files read whole, written so that a crash leaves the old or the new one, and descriptors that
// close themselves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "lore/error.hpp"

namespace lore {

/// An Error for a system call that failed on `path`: says what was tried and strerror(number);
/// ENOENT becomes not_found, ENOSPC and EDQUOT no_space, EROFS, EACCES and EPERM read_only where
/// `writing`, else io.
Error system_error(std::string_view action, const std::filesystem::path& path, int number,
                   bool writing = false);

/// The absolute path without links, dots and a slash at its end; what does not exist yet is taken
/// as it is spelled.
std::filesystem::path canonical_path(const std::filesystem::path& path);

/// Owns a file descriptor. Thread safety: as an int.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int descriptor) : descriptor_(descriptor) {}
  ~FileDescriptor() { reset(); }
  FileDescriptor(FileDescriptor&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    if (this != &other) {
      reset();
      descriptor_ = std::exchange(other.descriptor_, -1);
    }
    return *this;
  }

  int get() const noexcept { return descriptor_; }
  explicit operator bool() const noexcept { return descriptor_ >= 0; }
  void reset() noexcept;

 private:
  int descriptor_ = -1;
};

/// Reads a file from its start. Throws Error{not_found, io}. Thread safety: one thread at a time.
class FileReader {
 public:
  explicit FileReader(const std::filesystem::path& path);
  /// Fills `buffer` as far as the file goes; 0 at its end.
  std::size_t read(std::span<std::byte> buffer);

 private:
  std::filesystem::path path_;
  FileDescriptor descriptor_;
};

/// The whole file. Throws Error{not_found, io}, and limit_exceeded where it is over `limit` bytes.
std::string read_file(const std::filesystem::path& path,
                      std::uint64_t limit = std::uint64_t{1} << 32);

/// Replaces `path` by `bytes`: temporary file beside it, fsync, rename, fsync of the folder. After
/// a crash the old or the new content is there, never a part. Throws Error{io, no_space,
/// read_only}.
void write_file_atomically(const std::filesystem::path& path, std::string_view bytes);

/// Makes a rename in `folder` durable. Throws Error{io}.
void sync_folder(const std::filesystem::path& folder);

}  // namespace lore
