// A file of JSON lines that grows by one durable line at a time.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_set>

#include "base/file.hpp"

namespace lore::pipeline {

/// Thread safety: one thread at a time.
class AnswerLog {
 public:
  /// Opens `path` to append. Without `resume` it must not exist yet (Error{invalid_argument}). With
  /// it, whole lines that do not say "failed" are kept and their ids are done; failed ones and a
  /// torn last line are taken out (atomically) and answered again.
  AnswerLog(const std::filesystem::path& path, bool resume);

  bool is_done(const std::string& id_json) const { return done_.contains(id_json); }
  /// Returns once the line is on the disk. Throws Error{no_space, io}.
  void append(std::string_view line);

 private:
  void keep_good_lines();

  std::filesystem::path path_;
  FileDescriptor descriptor_;
  std::unordered_set<std::string> done_;
};

}  // namespace lore::pipeline
