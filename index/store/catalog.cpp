#include "index/store/catalog.hpp"

#include "base/hash.hpp"

namespace lore::index {
namespace {

std::string in_quotes(std::string_view text) {
  std::string result(1, '"');
  result += text;
  result += '"';
  return result;
}

}  // namespace

std::optional<ModelFingerprint> read_model(Database& database) {
  Statement row = database.prepare(
      "SELECT name, sha256, architecture, pooling, query_prefix, passage_prefix, dimension,"
      " normalized FROM model WHERE id = 1");
  if (!row.step()) return std::nullopt;
  ModelFingerprint model;
  model.name = row.text(0);
  model.sha256 = row.text(1);
  model.architecture = row.text(2);
  model.pooling = row.text(3);
  model.query_prefix = row.text(4);
  model.passage_prefix = row.text(5);
  model.dimension = row.size(6);
  model.normalized = row.integer(7) != 0;
  return model;
}

void write_model(Database& database, const ModelFingerprint& model) {
  database
      .prepare(
          "INSERT OR REPLACE INTO model(id, name, sha256, architecture, pooling, query_prefix,"
          " passage_prefix, dimension, normalized) VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?)")
      .run(model.name, model.sha256, model.architecture, model.pooling, model.query_prefix,
           model.passage_prefix, model.dimension, model.normalized);
}

std::string model_difference(const ModelFingerprint& stored, const ModelFingerprint& given) {
  std::string difference;
  const auto compare = [&](std::string_view what, const std::string& ours,
                           const std::string& theirs) {
    if (ours == theirs) return;
    if (!difference.empty()) difference += ", ";
    difference += std::string(what) + " " + theirs + " instead of " + ours;
  };
  compare("architecture", stored.architecture, given.architecture);
  compare("dimension", std::to_string(stored.dimension), std::to_string(given.dimension));
  compare("pooling", stored.pooling, given.pooling);
  compare("query prefix", in_quotes(stored.query_prefix), in_quotes(given.query_prefix));
  compare("passage prefix", in_quotes(stored.passage_prefix), in_quotes(given.passage_prefix));
  compare("vectors", stored.normalized ? "normalized" : "not normalized",
          given.normalized ? "normalized" : "not normalized");
  compare("model file", stored.sha256.substr(0, 12), given.sha256.substr(0, 12));
  if (difference.empty() && stored.sha256 != given.sha256) difference = "another model file";
  return difference;
}

std::string fingerprint_digest(const ModelFingerprint& model) {
  Sha256 hash;
  for (const std::string& part :
       {model.sha256, model.architecture, model.pooling, model.query_prefix, model.passage_prefix,
        std::to_string(model.dimension), std::string(model.normalized ? "1" : "0")}) {
    // The length before each part keeps neighbours apart.
    hash.update(std::to_string(part.size()) + ":" + part);
  }
  return hash.finish();
}

std::optional<std::string> read_setting(Database& database, std::string_view key) {
  Statement row = database.prepare("SELECT value FROM settings WHERE key = ?");
  if (!row.bind(key).step()) return std::nullopt;
  return row.text(0);
}

void write_setting(Database& database, std::string_view key, std::string_view value) {
  database.prepare("INSERT OR REPLACE INTO settings(key, value) VALUES (?, ?)").run(key, value);
}

std::vector<FailureRecord> read_failures(Database& database) {
  Statement row = database.prepare(
      "SELECT path, size, modified_ns, reason, code, pages_read FROM failures ORDER BY path");
  std::vector<FailureRecord> failures;
  while (row.step()) {
    failures.push_back({row.text(0), static_cast<std::uint64_t>(row.integer(1)), row.integer(2),
                        row.text(3), row.text(4), row.size(5)});
  }
  return failures;
}

void write_failure(Database& database, const FailureRecord& failure) {
  database
      .prepare(
          "INSERT OR REPLACE INTO failures(path, size, modified_ns, reason, code, pages_read)"
          " VALUES (?, ?, ?, ?, ?, ?)")
      .run(failure.path, failure.size, failure.modified_ns, failure.reason, failure.code,
           failure.pages_read);
}

void delete_failure(Database& database, std::string_view path) {
  database.prepare("DELETE FROM failures WHERE path = ?").run(path);
}

std::optional<GenerationRecord> read_generation(Database& database) {
  Statement row = database.prepare(
      "SELECT id, file, kind, dimension, count, highest_id, bytes, checksum, fingerprint, recall"
      " FROM generations ORDER BY id DESC LIMIT 1");
  if (!row.step()) return std::nullopt;
  GenerationRecord record;
  record.id = row.integer(0);
  record.file = row.text(1);
  record.kind = row.text(2);
  record.dimension = row.size(3);
  record.count = row.size(4);
  record.highest_id = row.integer(5);
  record.bytes = static_cast<std::uint64_t>(row.integer(6));
  record.checksum = static_cast<std::uint64_t>(row.integer(7));
  record.fingerprint = row.text(8);
  record.recall = row.real(9);
  return record;
}

void write_generation(Database& database, const GenerationRecord& record) {
  delete_generations(database);
  database
      .prepare(
          "INSERT INTO generations(file, kind, dimension, count, highest_id, bytes, checksum,"
          " fingerprint, recall) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")
      .run(record.file, record.kind, record.dimension, record.count, record.highest_id,
           record.bytes, record.checksum, record.fingerprint, record.recall);
}

void delete_generations(Database& database) { database.execute("DELETE FROM generations"); }

}  // namespace lore::index
