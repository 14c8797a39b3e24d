// One writer at a time.
#pragma once

#include <filesystem>

#include "base/file.hpp"
#include "lore/error.hpp"

namespace lore::index {

/// The error of a system call that failed to write `path`, which belongs to the index in `folder`.
Error cannot_write_index(const std::filesystem::path& folder, const std::filesystem::path& path,
                         int number);

/// Holds an index for writing: a lock (flock) on a file in its folder, which the system gives back
/// whatever ends the process. The file keeps the number of the process, for those who wait.
class WriterLock {
 public:
  /// Waits up to `wait_seconds`; then throws Error{busy} that names the holder. Throws
  /// Error{read_only, io, no_space}.
  WriterLock(const std::filesystem::path& folder, unsigned wait_seconds);

 private:
  FileDescriptor file_;
};

}  // namespace lore::index
