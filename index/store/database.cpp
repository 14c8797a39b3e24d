#include "index/store/database.hpp"

#include <sqlite3.h>

#include <utility>

#include "index/store/sqlite_error.hpp"
#include "index/store/vector_function.hpp"

namespace lore::index {
namespace {

[[noreturn]] void fail(sqlite3_stmt* statement, int code, const std::filesystem::path& path) {
  throw sqlite_error(code, sqlite3_db_handle(statement), path);
}

// A file: address of `path`, with everything escaped that means something in one.
std::string address_of(const std::filesystem::path& path, std::string_view parameters) {
  static constexpr char kDigits[] = "0123456789ABCDEF";
  std::string address = "file:";
  for (const char c : path.string()) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte <= 0x20 || byte >= 0x7F || c == '%' || c == '?' || c == '#') {
      address += '%';
      address += kDigits[byte >> 4];
      address += kDigits[byte & 15];
    } else {
      address += c;
    }
  }
  return address + "?" + std::string(parameters);
}

}  // namespace

// ---- Statement ---------------------------------------------------------------------------------

Statement::Statement(Statement&& other) noexcept
    : handle_(std::exchange(other.handle_, nullptr)), path_(other.path_) {}

Statement& Statement::operator=(Statement&& other) noexcept {
  std::swap(handle_, other.handle_);
  std::swap(path_, other.path_);
  return *this;
}

Statement::~Statement() { sqlite3_finalize(handle_); }

bool Statement::step() {
  const int code = sqlite3_step(handle_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  Error error = sqlite_error(code, sqlite3_db_handle(handle_), *path_);
  reset();
  throw error;
}

void Statement::reset() noexcept { sqlite3_reset(handle_); }

void Statement::bind_one(int position, std::int64_t value) {
  const int code = sqlite3_bind_int64(handle_, position, value);
  if (code != SQLITE_OK) fail(handle_, code, *path_);
}

void Statement::bind_one(int position, double value) {
  const int code = sqlite3_bind_double(handle_, position, value);
  if (code != SQLITE_OK) fail(handle_, code, *path_);
}

void Statement::bind_one(int position, std::string_view value) {
  // A null pointer would bind NULL, where an empty text is meant.
  const char* data = value.data() != nullptr ? value.data() : "";
  const int code =
      sqlite3_bind_text64(handle_, position, data, value.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  if (code != SQLITE_OK) fail(handle_, code, *path_);
}

void Statement::bind_one(int position, Blob value) {
  const int code = value.empty() ? sqlite3_bind_zeroblob(handle_, position, 0)
                                 : sqlite3_bind_blob64(handle_, position, value.data(),
                                                       value.size(), SQLITE_TRANSIENT);
  if (code != SQLITE_OK) fail(handle_, code, *path_);
}

std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(handle_, column); }

double Statement::real(int column) const { return sqlite3_column_double(handle_, column); }

std::string_view Statement::text_view(int column) const {
  const auto* data = reinterpret_cast<const char*>(sqlite3_column_text(handle_, column));
  if (data == nullptr) return {};
  return {data, static_cast<std::size_t>(sqlite3_column_bytes(handle_, column))};
}

Blob Statement::blob(int column) const {
  const auto* data = static_cast<const std::byte*>(sqlite3_column_blob(handle_, column));
  if (data == nullptr) return {};
  return {data, static_cast<std::size_t>(sqlite3_column_bytes(handle_, column))};
}

bool Statement::is_null(int column) const {
  return sqlite3_column_type(handle_, column) == SQLITE_NULL;
}

// ---- Database ----------------------------------------------------------------------------------

Database::Database(const std::filesystem::path& path, OpenMode mode) : path_(path) {
  int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_URI;
  std::string parameters;
  const char* system = nullptr;
  switch (mode) {
    case OpenMode::create:
      flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
      break;
    case OpenMode::write:
    case OpenMode::read:
      // A reader that is the last to leave may then fold the WAL back into the file.
      flags |= SQLITE_OPEN_READWRITE;
      break;
    case OpenMode::immutable:
      flags |= SQLITE_OPEN_READONLY;
      parameters = "immutable=1";
      break;
    case OpenMode::read_alone:
      flags |= SQLITE_OPEN_READONLY;
      system = "unix-none";  // SQLite's file layer without locks
      break;
  }
  const std::string address = address_of(path, parameters);
  const int code = sqlite3_open_v2(address.c_str(), &handle_, flags, system);
  if (code != SQLITE_OK) {
    const Error error = sqlite_error(code, handle_, path_);
    sqlite3_close_v2(std::exchange(handle_, nullptr));
    throw error;
  }
  wait_for_locks(kPatience);
  register_vector_function(handle_);
  try {
    if (mode == OpenMode::read_alone) {
      // Without shared memory there is no WAL index but in this process; said before anything
      // reads.
      execute("PRAGMA locking_mode = EXCLUSIVE;");
      sqlite3_db_config(handle_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
    }
    execute("PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -32000;");
  } catch (...) {
    sqlite3_close_v2(std::exchange(handle_, nullptr));
    throw;
  }
}

Database::~Database() { sqlite3_close_v2(handle_); }

Statement Database::prepare(std::string_view sql) {
  sqlite3_stmt* statement = nullptr;
  const int code =
      sqlite3_prepare_v2(handle_, sql.data(), static_cast<int>(sql.size()), &statement, nullptr);
  if (code != SQLITE_OK) throw sqlite_error(code, handle_, path_);
  return Statement(statement, &path_);
}

void Database::execute(const std::string& sql) {
  const int code = sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) throw sqlite_error(code, handle_, path_);
}

std::optional<std::int64_t> Database::integer(std::string_view sql) {
  Statement statement = prepare(sql);
  if (!statement.step() || statement.is_null(0)) return std::nullopt;
  return statement.integer(0);
}

void Database::wait_for_locks(std::chrono::milliseconds time) noexcept {
  sqlite3_busy_timeout(handle_, static_cast<int>(time.count()));
}

std::int64_t Database::last_id() const { return sqlite3_last_insert_rowid(handle_); }

std::int64_t Database::changes() const { return sqlite3_changes64(handle_); }

bool Database::in_transaction() const { return sqlite3_get_autocommit(handle_) == 0; }

// ---- Transaction -------------------------------------------------------------------------------

Transaction::Transaction(Database& database, Kind kind) : database_(database) {
  database_.execute(kind == Kind::write ? "BEGIN IMMEDIATE" : "BEGIN");
}

Transaction::~Transaction() {
  // SQLite itself may have rolled back already, on a full disk for one.
  if (!open_ || !database_.in_transaction()) return;
  try {
    database_.execute("ROLLBACK");
  } catch (const Error&) {
    // The connection is unusable then; the journal rolls back when the file is opened next.
  }
}

void Transaction::commit() {
  database_.execute("COMMIT");
  open_ = false;
}

}  // namespace lore::index
