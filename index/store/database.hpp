// SQLite behind classes that close, reset and roll back by themselves and that throw lore::Error.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace lore::index {

/// A float32 vector as it is stored: little-endian, no header. Bound as a BLOB.
using Blob = std::span<const std::byte>;

/// A prepared statement. Parameters are bound by copy, so that arguments may go away at once.
///
/// Thread safety: that of its Database.
class Statement {
 public:
  Statement(Statement&& other) noexcept;
  Statement& operator=(Statement&& other) noexcept;
  ~Statement();

  /// Starts over with these parameters, in order.
  template <typename... Values>
  Statement& bind(const Values&... values) {
    reset();
    int position = 0;
    (bind_one(++position, values), ...);
    return *this;
  }

  /// Moves to the next row; false at the end.
  bool step();
  /// Binds, and runs a statement that gives no rows, or whose rows do not matter.
  template <typename... Values>
  void run(const Values&... values) {
    bind(values...);
    while (step()) {
    }
    reset();
  }

  std::int64_t integer(int column) const;
  std::size_t size(int column) const { return static_cast<std::size_t>(integer(column)); }
  double real(int column) const;
  std::string text(int column) const { return std::string(text_view(column)); }
  /// Valid until the next step, reset or bind.
  std::string_view text_view(int column) const;
  Blob blob(int column) const;
  bool is_null(int column) const;

  void reset() noexcept;

 private:
  friend class Database;
  Statement(sqlite3_stmt* handle, const std::filesystem::path* path)
      : handle_(handle), path_(path) {}

  void bind_one(int position, std::int64_t value);
  void bind_one(int position, std::uint64_t value) {
    bind_one(position, static_cast<std::int64_t>(value));
  }
  void bind_one(int position, int value) { bind_one(position, std::int64_t{value}); }
  void bind_one(int position, bool value) { bind_one(position, std::int64_t{value}); }
  void bind_one(int position, double value);
  void bind_one(int position, std::string_view value);
  void bind_one(int position, const std::string& value) {
    bind_one(position, std::string_view(value));
  }
  void bind_one(int position, const char* value) { bind_one(position, std::string_view(value)); }
  void bind_one(int position, Blob value);

  sqlite3_stmt* handle_ = nullptr;
  const std::filesystem::path* path_ = nullptr;  // of the Database, for messages
};

/// How a database file is opened.
enum class OpenMode {
  create,      ///< for writing; made where it does not exist
  write,       ///< for writing
  read,        ///< to read beside a writer, with SQLite's locks
  immutable,   ///< to read a file that nobody writes to, without locks and without a WAL
  read_alone,  ///< to read a file and its WAL where nothing beside them can be made, without locks
};

/// One connection.
///
/// Thread safety: one thread at a time.
class Database {
 public:
  /// Throws Error{not_found, read_only, corrupt, io, busy, no_space}. SQLite opens lazily: what is
  /// wrong with the content may only show in the first statement.
  Database(const std::filesystem::path& path, OpenMode mode);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  Statement prepare(std::string_view sql);
  /// Runs one or more statements that need no parameters.
  void execute(const std::string& sql);
  /// The first column of the first row, or nothing where there is no row.
  std::optional<std::int64_t> integer(std::string_view sql);

  /// How long a statement waits where another connection holds a lock that it needs.
  static constexpr std::chrono::milliseconds kPatience{10'000};
  void wait_for_locks(std::chrono::milliseconds time) noexcept;

  /// The rowid of the last insert.
  std::int64_t last_id() const;
  /// Rows changed by the last statement.
  std::int64_t changes() const;
  bool in_transaction() const;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  sqlite3* handle_ = nullptr;
};

/// Rolls back unless committed.
class Transaction {
 public:
  /// A writing transaction takes the write lock at once, so that it cannot fail half-way for it.
  enum class Kind { read, write };
  Transaction(Database& database, Kind kind);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  Database& database_;
  bool open_ = true;
};

}  // namespace lore::index
