#include <cmath>

#include "base/file.hpp"
#include "index/index.hpp"
#include "index/inspect.hpp"
#include "index/lock.hpp"
#include "index/open.hpp"
#include "index/places.hpp"
#include "index/publish.hpp"
#include "index/store/catalog.hpp"
#include "index/store/documents.hpp"
#include "index/store/schema.hpp"
#include "index/vector_search.hpp"
#include "index/vectors/generation_file.hpp"
#include "lore/error.hpp"

namespace lore::index {
namespace {

Error mismatch(const std::filesystem::path& folder, const ModelFingerprint& stored,
               const ModelFingerprint& given) {
  return Error(ErrorCode::mismatch,
               "the index " + folder.string() + " was made with the embedding model " +
                   stored.name + " and cannot take vectors of " + given.name + " (" +
                   model_difference(stored, given) + "); use " + stored.name +
                   ", or delete the index folder and index again",
               given.name);
}

// Makes the folder and those above it, durable like what will lie in it.
void make_folder(const std::filesystem::path& folder) {
  std::error_code failed;
  if (folder.empty() || std::filesystem::is_directory(folder, failed)) return;
  if (folder.parent_path() != folder) make_folder(folder.parent_path());
  std::filesystem::create_directory(folder, failed);
  if (failed) throw cannot_write_index(folder, folder, failed.value());
  sync_folder(folder.parent_path());
}

class WriterImpl final : public Writer {
 public:
  WriterImpl(const std::filesystem::path& folder, const ModelFingerprint& model,
             const WriterOptions& options)
      : places_(prepared(folder)),
        files_(options.files != nullptr ? *options.files : system_files()),
        exact_codes_(options.exact_codes),
        lock_(places_.folder(), options.wait_seconds),
        database_(places_.database(), OpenMode::create),
        vectors_(places_.folder(), options.log),
        model_(model) {
    prepare_for_writing(database_, [this](Database& database) { write_model(database, model_); });
    files_.sync_folder(places_.folder());
    accept_model();
    remove_unrecorded_files();
  }

  ~WriterImpl() override { leave_no_wal(); }
  WriterImpl(const WriterImpl&) = delete;
  WriterImpl& operator=(const WriterImpl&) = delete;

  std::optional<DocumentSummary> find(std::string_view path) const override {
    return find_document(database_, places_.stored(path));
  }
  std::vector<DocumentSummary> documents() const override { return all_documents(database_); }
  std::vector<FailureRecord> failures() const override { return read_failures(database_); }

  void put(const DocumentRecord& document, std::span<const float> vectors) override {
    accept_vectors(document, vectors);
    const std::string path = places_.stored(document.path);
    Transaction transaction(database_, Transaction::Kind::write);
    if (const auto before = find_document(database_, path)) delete_document(database_, before->id);
    insert_document(database_, path, document, vectors);
    delete_failure(database_, path);
    transaction.commit();
  }

  void remove(std::int64_t document_id) override {
    Transaction transaction(database_, Transaction::Kind::write);
    delete_document(database_, document_id);
    transaction.commit();
  }

  void move(std::int64_t document_id, std::string_view path, std::int64_t modified_ns) override {
    const std::string stored = places_.stored(path);
    Transaction transaction(database_, Transaction::Kind::write);
    database_.prepare("UPDATE documents SET path = ?, modified_ns = ? WHERE id = ?")
        .run(stored, modified_ns, document_id);
    expect_change(document_id);
    delete_failure(database_, stored);
    transaction.commit();
  }

  void touch(std::int64_t document_id, std::int64_t modified_ns) override {
    Transaction transaction(database_, Transaction::Kind::write);
    database_.prepare("UPDATE documents SET modified_ns = ? WHERE id = ?")
        .run(modified_ns, document_id);
    expect_change(document_id);
    transaction.commit();
  }

  void put_failure(const FailureRecord& failure) override {
    FailureRecord stored = failure;
    stored.path = places_.stored(failure.path);
    Transaction transaction(database_, Transaction::Kind::write);
    write_failure(database_, stored);
    transaction.commit();
  }
  void remove_failure(std::string_view path) override {
    Transaction transaction(database_, Transaction::Kind::write);
    delete_failure(database_, places_.stored(path));
    transaction.commit();
  }
  void set_setting(std::string_view key, std::string_view value) override {
    Transaction transaction(database_, Transaction::Kind::write);
    write_setting(database_, key, value);
    transaction.commit();
  }
  std::optional<std::string> setting(std::string_view key) const override {
    return read_setting(database_, key);
  }

  void publish() override {
    bool wanted = false;
    {
      Transaction snapshot(database_, Transaction::Kind::read);
      wanted = needs_generation(database_, vectors_, model_);
      snapshot.commit();
    }
    if (wanted) publish_generation(database_, model_, {places_.folder(), files_, exact_codes_});
    leave_no_wal();
  }

  CheckReport repair() override;

 private:
  static Places prepared(const std::filesystem::path& folder) {
    make_folder(folder);
    return Places(folder);
  }

  void accept_model() {
    Transaction transaction(database_, Transaction::Kind::write);
    const std::optional<ModelFingerprint> stored = read_model(database_);
    if (stored && !model_difference(*stored, model_).empty()) {
      const auto documents = database_.integer("SELECT count(*) FROM documents");
      if (documents.value_or(0) > 0) throw mismatch(places_.folder(), *stored, model_);
    }
    if (!stored || !model_difference(*stored, model_).empty()) write_model(database_, model_);
    transaction.commit();
  }

  // What a writer left behind that was killed while it published.
  void remove_unrecorded_files() {
    const std::optional<GenerationRecord> record = read_generation(database_);
    remove_other_files(places_.folder(), record ? record->file : "", files_);
  }

  void accept_vectors(const DocumentRecord& document, std::span<const float> vectors) const {
    if (vectors.size() != document.chunks.size() * model_.dimension) {
      throw Error(ErrorCode::invalid_argument,
                  document.path + " comes with " + std::to_string(vectors.size()) +
                      " vector values instead of " +
                      std::to_string(document.chunks.size() * model_.dimension),
                  document.path);
    }
    for (std::size_t i = 0; i < document.chunks.size(); ++i) {
      double norm = 0;
      for (const float value : vectors.subspan(i * model_.dimension, model_.dimension)) {
        norm += double{value} * double{value};
      }
      const bool sound =
          std::isfinite(norm) && norm > 0 && (!model_.normalized || std::abs(norm - 1) < 0.01);
      if (sound) continue;
      throw Error(ErrorCode::invalid_argument,
                  "the vector of passage " + std::to_string(i + 1) + " of " + document.path +
                      " has the length " + std::to_string(std::sqrt(norm)) +
                      ", which no sound vector of " + model_.name + " has",
                  document.path);
    }
  }

  void expect_change(std::int64_t document_id) const {
    if (database_.changes() > 0) return;
    throw Error(ErrorCode::not_found,
                "no document with the number " + std::to_string(document_id) + " is in the index",
                std::to_string(document_id));
  }

  // Where a reader is at work the WAL stays, and the last one to leave folds it back.
  void leave_no_wal() noexcept {
    try {
      database_.wait_for_locks(std::chrono::seconds(1));
      database_.integer("PRAGMA wal_checkpoint(TRUNCATE)");
      database_.wait_for_locks(Database::kPatience);
    } catch (const Error&) {
      // What is committed is in the WAL and counts; the next writer tries again.
    }
  }

  Places places_;
  FileLayer& files_;
  std::size_t exact_codes_;
  WriterLock lock_;
  mutable Database database_;  // reading moves its statements
  VectorSearch vectors_;
  ModelFingerprint model_;
};

CheckReport WriterImpl::repair() {
  return repair_index(database_, vectors_, model_, {places_.folder(), files_, exact_codes_});
}

}  // namespace

std::unique_ptr<Writer> open_writer(const std::filesystem::path& folder,
                                    const ModelFingerprint& model, const WriterOptions& options) {
  return std::make_unique<WriterImpl>(folder, model, options);
}

std::unique_ptr<Writer> Writer::open(const std::filesystem::path& folder,
                                     const ModelFingerprint& model, unsigned wait_seconds,
                                     LogSink log) {
  WriterOptions options;
  options.wait_seconds = wait_seconds;
  options.log = std::move(log);
  return open_writer(folder, model, options);
}

}  // namespace lore::index
