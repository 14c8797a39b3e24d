#include "pipeline/read_ahead.hpp"

#include <algorithm>
#include <new>
#include <system_error>
#include <utility>

#include "lore/error.hpp"

namespace lore::pipeline {
namespace {

ingest::Failure failure_of(const std::filesystem::path& path, const Error& error) {
  std::error_code ignored;
  if (error.code() == ErrorCode::not_found || !std::filesystem::exists(path, ignored)) {
    return {path, "the file vanished during the run", "vanished", 0};
  }
  return {path, error.what(), "unreadable", 0};
}

}  // namespace

ReadAhead::ReadAhead(const IndexPlan& plan, Extract extract, Hash hash)
    : plan_(plan),
      extract_(std::move(extract)),
      hash_(std::move(hash)),
      gone_(plan.gone),
      thread_([this] { run(); }) {}

ReadAhead::~ReadAhead() {
  queue_.close();
  thread_.join();
}

void ReadAhead::run() {
  for (std::size_t number = 0; number < plan_.to_read.size(); ++number) {
    FileOutcome outcome;
    try {
      outcome = read(number);
    } catch (...) {
      outcome.file = number;
      outcome.error = std::current_exception();
    }
    const bool ended = outcome.error != nullptr;
    if (!queue_.push(std::move(outcome)) || ended) break;
  }
  queue_.finish();
}

std::optional<index::DocumentSummary> ReadAhead::take_moved(const std::string& sha256) {
  const auto failed = [this](const std::string& path) {
    const auto& paths = plan_.cured_failures;
    return std::find(paths.begin(), paths.end(), path) != paths.end();
  };
  // One that was not read as a whole is read again where it is now, so that its failure is told.
  const auto found = std::find_if(gone_.begin(), gone_.end(), [&](const auto& document) {
    return document.sha256 == sha256 && document.modified_ns != kMustRedo && !failed(document.path);
  });
  if (found == gone_.end()) return std::nullopt;
  index::DocumentSummary document = std::move(*found);
  gone_.erase(found);
  return document;
}

FileOutcome ReadAhead::read(std::size_t number) {
  const PlannedFile& file = plan_.to_read[number];
  FileOutcome outcome;
  outcome.file = number;
  try {
    outcome.sha256 = hash_(file.entry.path);
    if (file.known && !file.redo && file.known->sha256 == outcome.sha256) {
      outcome.same_content = true;
      return outcome;
    }
    if (!file.known) {
      outcome.moved_from = take_moved(outcome.sha256);
      if (outcome.moved_from) return outcome;
    }
    outcome.extraction = extract_(file.entry.path);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::interrupted || error.code() == ErrorCode::internal) throw;
    outcome.extraction = failure_of(file.entry.path, error);
  } catch (const std::bad_alloc&) {
    outcome.extraction = ingest::Failure{
        file.entry.path,
        "there is not enough memory to read it; close other programs and index again with --retry",
        "memory", 0};
  }
  return outcome;
}

}  // namespace lore::pipeline
