#include "index/store/schema.hpp"

#include <string>

#include "lore/error.hpp"

namespace lore::index {
namespace {

// Chunk and document ids are never used twice (AUTOINCREMENT), so that a vector file built earlier
// can miss a chunk but never name another. The full-text tables read their content from `chunks`
// and follow it by triggers, which cascades fire too.
constexpr const char* kTables = R"sql(
CREATE TABLE model(
  id INTEGER PRIMARY KEY CHECK (id = 1),
  name TEXT NOT NULL, sha256 TEXT NOT NULL, architecture TEXT NOT NULL, pooling TEXT NOT NULL,
  query_prefix TEXT NOT NULL, passage_prefix TEXT NOT NULL,
  dimension INTEGER NOT NULL, normalized INTEGER NOT NULL);

CREATE TABLE settings(key TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE documents(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  path TEXT NOT NULL UNIQUE, size INTEGER NOT NULL, modified_ns INTEGER NOT NULL,
  sha256 TEXT NOT NULL, format TEXT NOT NULL, title TEXT NOT NULL, paged INTEGER NOT NULL,
  problems TEXT NOT NULL);                         -- JSON array of strings
CREATE INDEX documents_by_hash ON documents(sha256);

CREATE TABLE texts(
  document_id INTEGER PRIMARY KEY REFERENCES documents(id) ON DELETE CASCADE,
  text TEXT NOT NULL);                             -- pages joined by U+000C

CREATE TABLE pages(
  document_id INTEGER NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
  number INTEGER NOT NULL,                         -- from 0
  label TEXT NOT NULL, state TEXT NOT NULL, note TEXT NOT NULL,
  start_at INTEGER NOT NULL, end_at INTEGER NOT NULL,  -- code points of the text
  PRIMARY KEY(document_id, number)) WITHOUT ROWID;

CREATE TABLE chunks(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  document_id INTEGER NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
  position INTEGER NOT NULL,                       -- from 0, in the document
  start_at INTEGER NOT NULL, end_at INTEGER NOT NULL,  -- code points of the text
  page INTEGER NOT NULL, page_end INTEGER NOT NULL,
  tokens INTEGER NOT NULL,
  heading TEXT NOT NULL,                           -- JSON array of strings, outermost first
  context TEXT NOT NULL, body TEXT NOT NULL);
CREATE INDEX chunks_by_document ON chunks(document_id, position);

CREATE TABLE vectors(
  chunk_id INTEGER PRIMARY KEY REFERENCES chunks(id) ON DELETE CASCADE,
  data BLOB NOT NULL);                             -- float32, little-endian, [dimension]

CREATE TABLE failures(
  path TEXT PRIMARY KEY NOT NULL, size INTEGER NOT NULL, modified_ns INTEGER NOT NULL,
  reason TEXT NOT NULL, code TEXT NOT NULL, pages_read INTEGER NOT NULL) WITHOUT ROWID;

CREATE TABLE generations(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  file TEXT NOT NULL, kind TEXT NOT NULL, dimension INTEGER NOT NULL, count INTEGER NOT NULL,
  highest_id INTEGER NOT NULL, bytes INTEGER NOT NULL, checksum INTEGER NOT NULL,
  fingerprint TEXT NOT NULL, recall REAL NOT NULL);

CREATE VIRTUAL TABLE words USING fts5(body, context, content='chunks', content_rowid='id',
  tokenize="unicode61 remove_diacritics 2");
CREATE VIRTUAL TABLE trigrams USING fts5(body, context, content='chunks', content_rowid='id',
  tokenize="trigram");

CREATE TRIGGER chunk_added AFTER INSERT ON chunks BEGIN
  INSERT INTO words(rowid, body, context) VALUES (new.id, new.body, new.context);
  INSERT INTO trigrams(rowid, body, context) VALUES (new.id, new.body, new.context);
END;
CREATE TRIGGER chunk_removed AFTER DELETE ON chunks BEGIN
  INSERT INTO words(words, rowid, body, context)
    VALUES ('delete', old.id, old.body, old.context);
  INSERT INTO trigrams(trigrams, rowid, body, context)
    VALUES ('delete', old.id, old.body, old.context);
END;
)sql";

void make_tables(Database& database, FunctionRef<void(Database&)> fill) {
  // The page size can be chosen only before the first page is written; larger ones waste less
  // beside vectors.
  database.execute("PRAGMA page_size = 8192;");
  database.execute("PRAGMA journal_mode = WAL;");
  Transaction transaction(database, Transaction::Kind::write);
  database.execute(kTables);
  database.execute("PRAGMA application_id = " + std::to_string(kApplicationId) +
                   "; PRAGMA user_version = " + std::to_string(kSchemaVersion) + ";");
  fill(database);
  transaction.commit();
}

}  // namespace

SchemaState inspect_schema(Database& database) {
  const std::string file = database.path().string();
  const std::int64_t application = database.integer("PRAGMA application_id").value_or(0);
  const std::int64_t version = database.integer("PRAGMA user_version").value_or(0);
  const std::int64_t objects = database.integer("SELECT count(*) FROM sqlite_master").value_or(0);
  if (objects == 0 && application == 0) return SchemaState::missing;
  if (application != kApplicationId) {
    throw Error(ErrorCode::corrupt,
                file +
                    " is a database of another program, not an index; give the folder of an "
                    "index with --index, or move that file away",
                file);
  }
  if (version > kSchemaVersion) {
    throw Error(ErrorCode::unsupported,
                file + " was made by a newer lore (schema " + std::to_string(version) +
                    "; this one knows " + std::to_string(kSchemaVersion) +
                    "); update lore, or delete the index folder and index again",
                file);
  }
  if (version != kSchemaVersion || objects == 0) {
    throw Error(ErrorCode::corrupt,
                "the index " + file +
                    " is damaged (no schema version); delete the index folder "
                    "and index again",
                file);
  }
  return SchemaState::current;
}

void prepare_for_writing(Database& database, FunctionRef<void(Database&)> fill) {
  database.execute(
      "PRAGMA synchronous = FULL; PRAGMA secure_delete = FAST; PRAGMA journal_size_limit = "
      "67108864;");
  if (inspect_schema(database) == SchemaState::missing) make_tables(database, fill);
  Statement mode = database.prepare("PRAGMA journal_mode = WAL");
  if (!mode.step() || mode.text_view(0) != "wal") {
    throw Error(ErrorCode::unsupported,
                "the file system of " + database.path().string() +
                    " cannot hold an index that is read and written at once; use a local disk",
                database.path().string());
  }
}

}  // namespace lore::index
