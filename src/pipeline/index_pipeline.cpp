#include "pipeline/index_pipeline.hpp"

#include <chrono>
#include <unordered_set>
#include <utility>

#include "base/number_ranges.hpp"
#include "lore/error.hpp"
#include "pipeline/index_plan.hpp"
#include "pipeline/read_ahead.hpp"

namespace lore::pipeline {
namespace {

constexpr std::string_view kChunkTokens = "chunk_tokens";
constexpr std::string_view kOverlapTokens = "overlap_tokens";

/// One run over one writer.
class IndexJob {
 public:
  IndexJob(const IndexPieces& pieces, const IndexRun& run, const IndexCallbacks& callbacks)
      : pieces_(pieces), run_(run), callbacks_(callbacks) {}

  IndexReport run();

 private:
  void apply_settings();
  void make_plan();
  void carry_over_failures();
  void read_files();
  void take(FileOutcome outcome);
  void store(const PlannedFile& file, const std::string& sha256, const ingest::Document& document);
  void account_for_pages(const PlannedFile& file, const index::DocumentRecord& record);
  void fail(const PlannedFile& file, const ingest::Failure& failure);
  void report_failure(FailedFile failure);
  void remove_gone();
  void show_progress(const std::string& current);
  void stop_if_asked() const;
  [[noreturn]] void stop() const;

  const IndexPieces& pieces_;
  const IndexRun& run_;
  const IndexCallbacks& callbacks_;
  IndexPlan plan_;
  std::unordered_set<std::int64_t> moved_;  // documents of plan_.gone that live on elsewhere
  IndexProgress progress_;
  IndexReport report_;
};

/// Documents that were cut by other settings are marked before the new ones are recorded, so that a
/// run which is interrupted in between is taken up by the next one.
void IndexJob::apply_settings() {
  index::Writer& writer = pieces_.writer;
  const std::string tokens = std::to_string(run_.chunking.max_tokens);
  const std::string overlap = std::to_string(run_.chunking.overlap_tokens);
  if (writer.setting(kChunkTokens) == tokens && writer.setting(kOverlapTokens) == overlap) return;
  for (const auto& document : writer.documents()) writer.touch(document.id, kMustRedo);
  writer.set_setting(kChunkTokens, tokens);
  writer.set_setting(kOverlapTokens, overlap);
}

void IndexJob::make_plan() {
  const std::vector<index::DocumentSummary> documents = pieces_.writer.documents();
  const std::vector<index::FailureRecord> failures = pieces_.writer.failures();
  plan_ = plan_index({.walk = run_.walk,
                      .roots = run_.roots,
                      .base = run_.base,
                      .documents = documents,
                      .failures = failures,
                      .retry = run_.retry,
                      .has_passwords = run_.has_passwords,
                      .outside = run_.outside});
  report_.unchanged = plan_.unchanged;
  report_.unsupported = run_.walk.unsupported;
  progress_.files_total = plan_.to_read.size();
  for (const PlannedFile& file : plan_.to_read) progress_.bytes_total += file.entry.size;
}

void IndexJob::report_failure(FailedFile failure) {
  if (callbacks_.failed) callbacks_.failed(failure);
  report_.failed.push_back(std::move(failure));
}

void IndexJob::carry_over_failures() {
  for (const ingest::Failure& failure : run_.walk.failures) {
    pieces_.writer.put_failure({stored_path(failure.path, run_.base), 0, 0, failure.reason,
                                failure.code, failure.pages_read});
    report_failure({failure.path, failure.reason, failure.code, failure.pages_read, false});
  }
  for (const index::FailureRecord& failure : plan_.known_failures) {
    const bool kept =
        failure.code != kSomePagesFailed && pieces_.writer.find(failure.path).has_value();
    report_failure({resolved_path(failure.path, run_.base), failure.reason, failure.code,
                    failure.pages_read, kept, true});
  }
  for (const std::string& path : plan_.cured_failures) pieces_.writer.remove_failure(path);
}

void IndexJob::show_progress(const std::string& current) {
  progress_.current = current;
  if (callbacks_.progress) callbacks_.progress(progress_);
}

void IndexJob::stop() const {
  throw Error(ErrorCode::interrupted,
              "interrupted: " + std::to_string(progress_.files_done) + " of " +
                  std::to_string(progress_.files_total) +
                  " files are done and kept; run the same command again to go on");
}

void IndexJob::stop_if_asked() const {
  if (callbacks_.stop && callbacks_.stop()) stop();
}

void IndexJob::store(const PlannedFile& file, const std::string& sha256,
                     const ingest::Document& document) {
  PreparedDocument prepared = prepare_document(document, pieces_.embedder, run_.chunking,
                                               run_.batch_tokens, [&](std::size_t tokens) {
                                                 progress_.tokens += tokens;
                                                 show_progress(file.stored_path);
                                               });
  index::DocumentRecord& record = prepared.record;
  record.path = file.stored_path;
  record.size = file.entry.size;
  record.modified_ns = file.entry.modified_ns;
  record.sha256 = sha256;
  pieces_.writer.put(record, prepared.vectors);

  report_.chunks += record.chunks.size();
  for (const index::ChunkRecord& chunk : record.chunks) report_.tokens += chunk.tokens;
  progress_.chunks = report_.chunks;
  account_for_pages(file, record);
}

/// Pages without text are told. A document with pages that could not be read counts as failed,
/// though the others are in the index.
void IndexJob::account_for_pages(const PlannedFile& file, const index::DocumentRecord& record) {
  std::vector<std::size_t> without_text, failed;
  for (std::size_t i = 0; i < record.pages.size(); ++i) {
    const std::string& state = record.pages[i].state;
    if (state != "text") (state == "failed" ? failed : without_text).push_back(i + 1);
  }
  report_.pages += record.pages.size();
  report_.pages_without_text += without_text.size();
  report_.pages_failed += failed.size();
  if (!without_text.empty() || !record.problems.empty()) {
    report_.notices.push_back({file.entry.path, record.pages.size(), without_text.size(),
                               number_ranges(without_text), record.problems});
  }
  if (failed.empty()) {
    ++(file.known ? report_.changed : report_.added);
    return;
  }
  const std::size_t read = record.pages.size() - failed.size();
  const std::string reason = (failed.size() == 1 ? "page " : "pages ") + number_ranges(failed) +
                             " of " + std::to_string(record.pages.size()) +
                             " could not be read: " + record.pages[failed.front() - 1].note;
  pieces_.writer.put_failure({file.stored_path, file.entry.size, file.entry.modified_ns, reason,
                              std::string(kSomePagesFailed), read});
  report_failure({file.entry.path, reason, std::string(kSomePagesFailed), read, false});
}

void IndexJob::fail(const PlannedFile& file, const ingest::Failure& failure) {
  if (failure.code == "vanished" && file.known) {
    pieces_.writer.remove(file.known->id);
    ++report_.removed;
    return;
  }
  if (failure.code != "vanished") {
    pieces_.writer.put_failure({file.stored_path, file.entry.size, file.entry.modified_ns,
                                failure.reason, failure.code, failure.pages_read});
  }
  report_failure(
      {file.entry.path, failure.reason, failure.code, failure.pages_read, file.known.has_value()});
}

void IndexJob::take(FileOutcome outcome) {
  const PlannedFile& file = plan_.to_read[outcome.file];
  if (outcome.error) {
    try {
      std::rethrow_exception(outcome.error);
    } catch (const Error& error) {
      if (error.code() == ErrorCode::interrupted) stop();
      throw;
    }
  }
  if (outcome.same_content) {
    pieces_.writer.touch(file.known->id, file.entry.modified_ns);
    ++report_.unchanged;
  } else if (outcome.moved_from) {
    pieces_.writer.move(outcome.moved_from->id, file.stored_path, file.entry.modified_ns);
    moved_.insert(outcome.moved_from->id);
    ++report_.moved;
  } else if (const auto* failure = std::get_if<ingest::Failure>(&*outcome.extraction)) {
    fail(file, *failure);
  } else {
    store(file, outcome.sha256, std::get<ingest::Document>(*outcome.extraction));
  }
  ++progress_.files_done;
  progress_.bytes_done += file.entry.size;
  show_progress(file.stored_path);
}

void IndexJob::read_files() {
  ReadAhead ahead(plan_, pieces_.extract, pieces_.hash);
  while (std::optional<FileOutcome> outcome = ahead.next()) {
    take(std::move(*outcome));
    if (progress_.files_done < progress_.files_total) stop_if_asked();
  }
}

void IndexJob::remove_gone() {
  for (const auto& document : plan_.gone) {
    if (moved_.contains(document.id)) continue;
    pieces_.writer.remove(document.id);
    ++report_.removed;
  }
}

IndexReport IndexJob::run() {
  const auto start = std::chrono::steady_clock::now();
  apply_settings();
  make_plan();
  carry_over_failures();
  if (!plan_.to_read.empty()) {
    show_progress("");
    stop_if_asked();
    read_files();
  }
  remove_gone();
  pieces_.writer.publish();
  report_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return std::move(report_);
}

}  // namespace

IndexReport run_index(const IndexPieces& pieces, const IndexRun& run,
                      const IndexCallbacks& callbacks) {
  return IndexJob(pieces, run, callbacks).run();
}

}  // namespace lore::pipeline
