#include "index/store/sqlite_error.hpp"

#include <sqlite3.h>

#include <cerrno>
#include <string>

namespace lore::index {
namespace {

constexpr std::string_view kRebuild =
    "; `lore check --repair` puts right what it can, or delete the index folder and index again";

Error no_space(const std::string& file) {
  return Error(ErrorCode::no_space,
               "the disk is full while writing " + file +
                   "; free some space and run the command again: what was stored is kept",
               file);
}

Error read_only(const std::string& file) {
  return Error(ErrorCode::read_only,
               "cannot write " + file + ": the file or its folder is read-only", file);
}

}  // namespace

Error sqlite_error(int code, sqlite3* handle, const std::filesystem::path& path) {
  const std::string file = path.string();
  const int system = handle != nullptr ? sqlite3_system_errno(handle) : 0;
  const std::string detail = handle != nullptr ? sqlite3_errmsg(handle) : sqlite3_errstr(code);
  switch (code & 0xFF) {
    case SQLITE_FULL:
      return no_space(file);
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return read_only(file);
    case SQLITE_CANTOPEN:
    case SQLITE_IOERR:
      if (system == ENOSPC || system == EDQUOT) return no_space(file);
      if (system == EACCES || system == EPERM || system == EROFS) return read_only(file);
      return Error(ErrorCode::io,
                   "cannot read or write " + file + ": " + detail +
                       (system != 0 ? " (" + std::generic_category().message(system) + ")" : ""),
                   file);
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return Error(ErrorCode::corrupt,
                   "the index " + file + " is damaged (" + detail + ")" + std::string(kRebuild),
                   file);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:
      return Error(
          ErrorCode::busy,
          "another process keeps " + file + " locked; wait for it and run the command again", file);
    case SQLITE_TOOBIG:
      return Error(ErrorCode::limit_exceeded,
                   "a document is larger than " + file + " can hold (1 GB of text)", file);
    case SQLITE_NOMEM:
      return Error(ErrorCode::limit_exceeded, "not enough memory to work on " + file, file);
    default:
      return Error(ErrorCode::internal, "unexpected answer of SQLite on " + file + ": " + detail,
                   file);
  }
}

}  // namespace lore::index
