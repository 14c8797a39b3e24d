// A test's body in a child process: as another user, killed half-way, or in its own mounts.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>

namespace lore::index::test {

/// How a child ended: what it reported, and whether it got that far.
struct ChildResult {
  bool finished = false;  ///< reached the end of its body
  int signal = 0;         ///< that ended it
  std::string report;     ///< what the body returned, or the message of what it threw
};

/// Runs `body` in a fork of this process and waits for it. The child ends without running the
/// parent's destructors.
ChildResult run_child(const std::function<std::string()>& body);

/// Starts one without waiting.
pid_t start_child(const std::function<void()>& body);
/// Waits for it; returns the signal that ended it, or 0.
int wait_for(pid_t child);

/// Becomes a user without rights. False where this process has no right to.
bool become_nobody();

}  // namespace lore::index::test
