// What an index keeps beside its documents: the model, settings, failures, the generation.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "index/index.hpp"
#include "index/store/database.hpp"

namespace lore::index {

std::optional<ModelFingerprint> read_model(Database& database);
void write_model(Database& database, const ModelFingerprint& model);

/// What makes two models differ, for people ("pooling cls instead of mean"); empty where vectors of
/// both mix. The name does not count.
std::string model_difference(const ModelFingerprint& stored, const ModelFingerprint& given);
/// A hash over everything that counts in model_difference.
std::string fingerprint_digest(const ModelFingerprint& model);

std::optional<std::string> read_setting(Database& database, std::string_view key);
void write_setting(Database& database, std::string_view key, std::string_view value);

std::vector<FailureRecord> read_failures(Database& database);
void write_failure(Database& database, const FailureRecord& failure);
void delete_failure(Database& database, std::string_view path);

/// A published vector file, as SQLite knows it. The file counts only while it agrees with this.
struct GenerationRecord {
  std::int64_t id = 0;
  std::string file;  ///< name in the index folder
  std::string kind;  ///< "int8" or "ivf_sq8"
  std::size_t dimension = 0;
  std::size_t count = 0;        ///< vectors in it
  std::int64_t highest_id = 0;  ///< rows above it are newer
  std::uint64_t bytes = 0;      ///< of the file
  std::uint64_t checksum = 0;   ///< of the file's payload
  std::string fingerprint;      ///< fingerprint_digest of the model
  double recall = 1;            ///< of the first 20 against exact search, as measured when built
};

std::optional<GenerationRecord> read_generation(Database& database);
/// Replaces the record; `record.id` is ignored.
void write_generation(Database& database, const GenerationRecord& record);
void delete_generations(Database& database);

}  // namespace lore::index
