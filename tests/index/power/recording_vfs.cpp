#include "tests/index/power/recording_vfs.hpp"

#include <sqlite3.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <vector>

namespace lore::index::test {
namespace {

// The state behind the C functions below: SQLite hands them only what it was given.
struct Shim {
  sqlite3_vfs vfs{};
  sqlite3_vfs* real = nullptr;
  Disk* disk = nullptr;
  std::vector<std::string> names;  // of opened files, by number
};

struct ShimFile {
  sqlite3_file base;
  Shim* shim;
  sqlite3_file* real;
  int number;             // of its name; negative where it is not noted
  bool sync_folder_once;  // as SQLite's own layer does for a journal or WAL that it opened to make
};

ShimFile* self(sqlite3_file* file) { return reinterpret_cast<ShimFile*>(file); }
sqlite3_file* real(sqlite3_file* file) { return self(file)->real; }

const std::string& name_of(const ShimFile* file) {
  return file->shim->names[static_cast<std::size_t>(file->number)];
}

int close_file(sqlite3_file* file) {
  const int code = real(file)->pMethods->xClose(real(file));
  file->pMethods = nullptr;
  return code;
}

int read_file(sqlite3_file* file, void* out, int size, sqlite3_int64 offset) {
  return real(file)->pMethods->xRead(real(file), out, size, offset);
}

int write_file(sqlite3_file* file, const void* data, int size, sqlite3_int64 offset) {
  ShimFile* shim = self(file);
  if (shim->number >= 0) {
    if (shim->shim->disk->take_room()) return SQLITE_FULL;
    shim->shim->disk->record.write(
        name_of(shim), static_cast<std::uint64_t>(offset),
        {static_cast<const std::byte*>(data), static_cast<std::size_t>(size)});
  }
  return real(file)->pMethods->xWrite(real(file), data, size, offset);
}

int truncate_file(sqlite3_file* file, sqlite3_int64 size) {
  ShimFile* shim = self(file);
  if (shim->number >= 0) {
    shim->shim->disk->record.truncate(name_of(shim), static_cast<std::uint64_t>(size));
  }
  return real(file)->pMethods->xTruncate(real(file), size);
}

int sync_file(sqlite3_file* file, int) {
  ShimFile* shim = self(file);
  if (shim->number >= 0) {
    shim->shim->disk->record.sync(name_of(shim));
    if (shim->sync_folder_once) shim->shim->disk->record.sync_folder();
    shim->sync_folder_once = false;
  }
  return SQLITE_OK;  // the simulated disk is the one that counts
}

int file_size(sqlite3_file* file, sqlite3_int64* size) {
  return real(file)->pMethods->xFileSize(real(file), size);
}
int lock_file(sqlite3_file* file, int level) {
  return real(file)->pMethods->xLock(real(file), level);
}
int unlock_file(sqlite3_file* file, int level) {
  return real(file)->pMethods->xUnlock(real(file), level);
}
int check_lock(sqlite3_file* file, int* held) {
  return real(file)->pMethods->xCheckReservedLock(real(file), held);
}
int control_file(sqlite3_file* file, int operation, void* argument) {
  return real(file)->pMethods->xFileControl(real(file), operation, argument);
}
int sector_size(sqlite3_file* file) { return real(file)->pMethods->xSectorSize(real(file)); }
// No promise about overwriting or appending: the disk tears writes.
int characteristics(sqlite3_file*) { return 0; }
int map_shared(sqlite3_file* file, int page, int size, int extend, void volatile** out) {
  return real(file)->pMethods->xShmMap(real(file), page, size, extend, out);
}
int lock_shared(sqlite3_file* file, int offset, int count, int flags) {
  return real(file)->pMethods->xShmLock(real(file), offset, count, flags);
}
void barrier(sqlite3_file* file) { real(file)->pMethods->xShmBarrier(real(file)); }
int unmap_shared(sqlite3_file* file, int remove) {
  return real(file)->pMethods->xShmUnmap(real(file), remove);
}

constexpr sqlite3_io_methods kMethods = {2,
                                         close_file,
                                         read_file,
                                         write_file,
                                         truncate_file,
                                         sync_file,
                                         file_size,
                                         lock_file,
                                         unlock_file,
                                         check_lock,
                                         control_file,
                                         sector_size,
                                         characteristics,
                                         map_shared,
                                         lock_shared,
                                         barrier,
                                         unmap_shared,
                                         nullptr,
                                         nullptr};

int open_file(sqlite3_vfs* vfs, const char* path, sqlite3_file* file, int flags, int* out_flags) {
  auto* shim = static_cast<Shim*>(vfs->pAppData);
  ShimFile* opened = self(file);
  std::memset(static_cast<void*>(opened), 0, sizeof(ShimFile));
  opened->shim = shim;
  opened->real = reinterpret_cast<sqlite3_file*>(opened + 1);
  opened->number = -1;
  constexpr int kJournals = SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL;
  const bool noted = path != nullptr && (flags & (SQLITE_OPEN_MAIN_DB | kJournals)) != 0;
  const bool existed = path != nullptr && ::access(path, F_OK) == 0;
  const int code = shim->real->xOpen(shim->real, path, opened->real, flags, out_flags);
  if (code != SQLITE_OK) return code;
  file->pMethods = &kMethods;
  if (!noted) return code;
  shim->names.push_back(std::filesystem::path(path).filename());
  opened->number = static_cast<int>(shim->names.size()) - 1;
  opened->sync_folder_once = (flags & SQLITE_OPEN_CREATE) != 0 && (flags & kJournals) != 0;
  if (!existed) shim->disk->record.create(name_of(opened));
  return code;
}

int delete_file(sqlite3_vfs* vfs, const char* path, int sync_folder) {
  auto* shim = static_cast<Shim*>(vfs->pAppData);
  const bool noted = !std::string_view(path).ends_with("-shm") && ::access(path, F_OK) == 0;
  if (noted) {
    shim->disk->record.remove(std::filesystem::path(path).filename());
    if (sync_folder != 0) shim->disk->record.sync_folder();
  }
  return shim->real->xDelete(shim->real, path, 0);
}

}  // namespace

struct RecordingVfs::Impl {
  Shim shim;
};

RecordingVfs::RecordingVfs(Disk& disk) : impl_(std::make_unique<Impl>()) {
  Shim& shim = impl_->shim;
  shim.real = sqlite3_vfs_find("unix");
  shim.disk = &disk;
  // Everything that is not about files goes straight to SQLite's own functions, which look only at
  // the layer that they are given.
  shim.vfs = *shim.real;
  shim.vfs.zName = "lore-recording";
  shim.vfs.pAppData = &shim;
  shim.vfs.pNext = nullptr;
  shim.vfs.szOsFile = static_cast<int>(sizeof(ShimFile)) + shim.real->szOsFile;
  shim.vfs.xOpen = open_file;
  shim.vfs.xDelete = delete_file;
  sqlite3_vfs_register(&shim.vfs, 1);
}

RecordingVfs::~RecordingVfs() {
  sqlite3_vfs_unregister(&impl_->shim.vfs);
  sqlite3_vfs_register(sqlite3_vfs_find("unix"), 1);
}

}  // namespace lore::index::test
