// One writer at a time.
#pragma once

#include <filesystem>

#include "base/file.hpp"

namespace lore::index {

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
