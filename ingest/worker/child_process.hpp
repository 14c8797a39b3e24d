// One child process: started, read from with a deadline, ended whatever happens.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "base/file.hpp"

namespace lore::ingest::worker {

/// Owns a running child; the destructor kills and reaps it. Thread safety: one thread.
class ChildProcess {
 public:
  /// Starts command[0] (a path, or a name on the search path) with `request` on its standard input,
  /// `document` as descriptor 3, a pipe as standard output and nothing as standard error.
  /// Throws Error{io} where it cannot be started.
  ChildProcess(const std::vector<std::string>& command, const std::string& request,
               const FileDescriptor& document);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  enum class Read { bytes, nothing_yet, end };

  /// Waits up to `wait` for output and appends it to `into`.
  Read read(std::string& into, std::chrono::milliseconds wait);

  struct End {
    int status = 0;          ///< as wait() has it
    double cpu_seconds = 0;  ///< that the child has used
    bool by_us = false;      ///< killed since it went on after `grace`
  };

  /// Waits up to `grace` for the child to end, then kills it.
  End finish(std::chrono::milliseconds grace);

 private:
  pid_t id_ = -1;
  End end_;
  FileDescriptor output_;
};

}  // namespace lore::ingest::worker
