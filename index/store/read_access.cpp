#include "index/store/read_access.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/file.hpp"
#include "index/store/schema.hpp"

namespace lore::index {
namespace {

// Identity, size and time of a file, to tell whether anybody wrote to it.
std::string state_of(const std::filesystem::path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) return "-";
  return std::to_string(status.st_dev) + ":" + std::to_string(status.st_ino) + ":" +
         std::to_string(status.st_size) + ":" + std::to_string(status.st_mtim.tv_sec) + "." +
         std::to_string(status.st_mtim.tv_nsec);
}

std::filesystem::path wal_of(std::filesystem::path file) {
  file += "-wal";
  return file;
}

std::string state_of_all(const std::filesystem::path& file) {
  return state_of(file) + " " + state_of(wal_of(file));
}

bool has_wal(const std::filesystem::path& file) {
  struct stat status {};
  return ::stat(wal_of(file).c_str(), &status) == 0 && status.st_size > 0;
}

Error no_index(const std::filesystem::path& file) {
  const std::string folder = file.parent_path().string();
  return Error(ErrorCode::not_found,
               "there is no index in " + folder + "; make one with `lore index`", folder);
}

}  // namespace

ReadAccess::ReadAccess(std::filesystem::path file, const LogSink& log)
    : file_(std::move(file)), log_(log) {
  open();
}

void ReadAccess::open() {
  database_.reset();
  mode_ = OpenMode::read;
  // Never opened by hand: closing any descriptor of a file takes away the locks that this process's
  // other connections hold on it (POSIX).
  if (::faccessat(AT_FDCWD, file_.c_str(), R_OK, AT_EACCESS) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) throw no_index(file_);
    throw system_error("read", file_, errno);
  }
  SchemaState schema = SchemaState::missing;
  try {
    database_.emplace(file_, OpenMode::read);
    schema = inspect_schema(*database_);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::read_only && error.code() != ErrorCode::io) throw;
    open_without_locks();
    schema = inspect_schema(*database_);
  }
  if (schema == SchemaState::missing) throw no_index(file_);
}

void ReadAccess::open_without_locks() {
  database_.reset();
  state_ = state_of_all(file_);
  mode_ = has_wal(file_) ? OpenMode::read_alone : OpenMode::immutable;
  if (log_) {
    log_(LogLevel::debug, "reading " + file_.string() + " without locks: its folder is read-only");
  }
  database_.emplace(file_, mode_);
}

void ReadAccess::read(FunctionRef<void(Database&)> body) {
  constexpr int kAttempts = 20;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (!is_shared() && state_of_all(file_) != state_) open();
    if (is_shared()) {
      Transaction transaction(*database_, Transaction::Kind::read);
      body(*database_);
      return transaction.commit();
    }
    // What a writer tore apart under this read may look damaged: that counts only where the files
    // stood still.
    try {
      Transaction transaction(*database_, Transaction::Kind::read);
      body(*database_);
      transaction.commit();
    } catch (const Error&) {
      if (state_of_all(file_) == state_) throw;
      continue;
    }
    if (state_of_all(file_) == state_) return;
  }
  throw Error(ErrorCode::busy,
              file_.string() + " is being written all the time; run the command again later",
              file_.string());
}

}  // namespace lore::index
