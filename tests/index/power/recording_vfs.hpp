// SQLite's file layer with every write, sync and removal noted, and a disk that can be full.
#pragma once

#include <memory>
#include <string>

#include "index/vectors/file_layer.hpp"
#include "tests/index/power/disk_record.hpp"

namespace lore::index::test {

/// What both layers share: where to note, and when to fail.
struct Disk {
  DiskRecord record;
  /// Writes that still fit; after that, each fails as on a full disk. Negative: all fit.
  long room = -1;
  /// True where the next write does not fit.
  bool take_room() {
    if (room == 0) return true;
    if (room > 0) --room;
    return false;
  }
};

/// While it lives, SQLite opens databases of this process through it. One at a time.
class RecordingVfs {
 public:
  explicit RecordingVfs(Disk& disk);
  ~RecordingVfs();
  RecordingVfs(const RecordingVfs&) = delete;
  RecordingVfs& operator=(const RecordingVfs&) = delete;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// The system's files, noted in the same record.
class RecordingFiles final : public FileLayer {
 public:
  explicit RecordingFiles(Disk& disk) : disk_(disk) {}
  std::unique_ptr<Output> create(const std::filesystem::path& path) override;
  void rename(const std::filesystem::path& from, const std::filesystem::path& to) override;
  void remove(const std::filesystem::path& path) override;
  void sync_folder(const std::filesystem::path& folder) override;

 private:
  Disk& disk_;
};

}  // namespace lore::index::test
