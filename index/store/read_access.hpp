// A connection for reading that works wherever the files can be read at all.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/function_ref.hpp"
#include "base/log.hpp"
#include "index/store/database.hpp"

namespace lore::index {

/// Reads through SQLite's locks where the folder lets it, and else without them:
///
/// - A folder that can be written, or that holds a WAL and its shared memory: SQLite's own way.
/// - A folder that cannot be written, and no WAL: the file is complete (the last writer folds the
///   WAL back), and is read as immutable.
/// - A folder that cannot be written, and a WAL left behind by a crash: the WAL is read into
/// memory.
///
/// The last two have no lock against a writer that may have come since (a folder that others can
/// write). Each read therefore compares the files before and after, and starts over where they
/// changed.
///
/// Thread safety: one thread at a time.
class ReadAccess {
 public:
  /// Throws Error{not_found, corrupt, unsupported, io, busy}.
  ReadAccess(std::filesystem::path file, const LogSink& log);

  /// Calls `body` in one read transaction: all that it sees is of one moment. It may be called more
  /// than once.
  void read(FunctionRef<void(Database&)> body);

 private:
  void open();
  void open_without_locks();
  bool is_shared() const { return mode_ == OpenMode::read; }

  std::filesystem::path file_;
  LogSink log_;
  OpenMode mode_ = OpenMode::read;
  std::optional<Database> database_;
  std::string state_;  // of the files, when opened without locks
};

}  // namespace lore::index
