// The file operations behind a published vector file. An interface, so that a test can record their
// order and cut the power between any two.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

namespace lore::index {

/// Thread safety: as the file system's.
class FileLayer {
 public:
  /// A file being written from its start; closed when destroyed.
  class Output {
   public:
    virtual ~Output() = default;
    /// Throws Error{io, no_space}.
    virtual void write(std::span<const std::byte> bytes) = 0;
    /// Returns when what was written would survive a power cut.
    virtual void sync() = 0;
  };

  virtual ~FileLayer() = default;
  /// Makes or empties a file. Throws Error{io, no_space, read_only}.
  virtual std::unique_ptr<Output> create(const std::filesystem::path& path) = 0;
  virtual void rename(const std::filesystem::path& from, const std::filesystem::path& to) = 0;
  /// A file that is not there is no error.
  virtual void remove(const std::filesystem::path& path) = 0;
  /// Makes names in `folder` durable.
  virtual void sync_folder(const std::filesystem::path& folder) = 0;
};

/// The real ones.
FileLayer& system_files() noexcept;

}  // namespace lore::index
