// A file of JSON lines that grows by one durable line at a time.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/file.hpp"
#include "pipeline/question_file.hpp"

namespace lore::pipeline {

/// Thread safety: one thread at a time.
class AnswerLog {
 public:
  /// Looks at `path` and changes nothing yet. Without `resume` it must not exist
  /// (Error{invalid_argument}). With it, every line must be an answer, but for a torn last one
  /// (Error{invalid_argument} that names the line): nobody's other file is written over.
  AnswerLog(const std::filesystem::path& path, bool resume);

  /// Whether an earlier run has answered this question. Throws Error{invalid_argument} where it has
  /// answered another one under the same id: the two files do not belong together.
  bool is_done(const QuestionRow& row) const;

  /// Takes out failed lines and a torn last one (atomically: they are answered again), and opens
  /// the file to append. Throws Error{no_space, io, read_only, not_found}.
  void open();
  /// Returns once the line is on the disk. Throws Error{no_space, io}.
  void append(std::string_view line);

 private:
  void read();

  std::filesystem::path path_;
  bool exists_ = false;
  bool has_waste_ = false;  // lines to take out
  std::string kept_;
  std::unordered_map<std::string, std::string> done_;  // id to question
  FileDescriptor descriptor_;
};

}  // namespace lore::pipeline
