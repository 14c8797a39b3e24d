// Hashes and extracts planned files in a thread of its own, one document ahead of its consumer.
#pragma once

#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "index/index.hpp"
#include "ingest/ingest.hpp"
#include "pipeline/bounded_queue.hpp"
#include "pipeline/index_plan.hpp"

namespace lore::pipeline {

/// What became of one planned file. Exactly one of the last four tells.
struct FileOutcome {
  std::size_t file = 0;  ///< index in the plan's to_read
  std::string sha256;
  bool same_content = false;  ///< only its time has changed
  std::optional<index::DocumentSummary> moved_from;
  std::optional<ingest::Extraction> extraction;
  std::exception_ptr error;  ///< ends the run (an interruption, a bug)
};

/// Thread safety: next() and the destructor belong to one thread.
class ReadAhead {
 public:
  using Extract = std::function<ingest::Extraction(const std::filesystem::path&)>;
  using Hash = std::function<std::string(const std::filesystem::path&)>;

  /// `plan` must outlive it; `extract` and `hash` are called from its own thread.
  ReadAhead(const IndexPlan& plan, Extract extract, Hash hash);
  /// Ends the thread after the file in hand.
  ~ReadAhead();
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  /// The outcomes in the order of the plan; nothing at the end.
  std::optional<FileOutcome> next() { return queue_.pop(); }

 private:
  void run();
  FileOutcome read(std::size_t number);
  std::optional<index::DocumentSummary> take_moved(const std::string& sha256);

  const IndexPlan& plan_;
  Extract extract_;
  Hash hash_;
  std::vector<index::DocumentSummary> gone_;  // each can be the origin of one move
  BoundedQueue<FileOutcome> queue_{1};
  std::thread thread_;
};

}  // namespace lore::pipeline
