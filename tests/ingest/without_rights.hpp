// Runs a part of a test as a user who may not read everything.
#pragma once

#include <grp.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <functional>

namespace lore::test {

/// What run_without_rights() returns where the child could still read what it must not.
inline constexpr int kStillAllowed = 77;

/// Runs `body` in a child process, which has become the user nobody where the tests run as root,
/// who sees no permissions. Returns what `body` does (0 … 76), or 99 after an exception.
/// `forbidden` must be unreadable for the child.
inline int run_without_rights(const std::filesystem::path& forbidden,
                              const std::function<int()>& body) {
  constexpr unsigned kNobody = 65534;
  const pid_t child = ::fork();
  if (child == 0) {
    if (::geteuid() == 0 &&
        (::setgroups(0, nullptr) != 0 || ::setgid(kNobody) != 0 || ::setuid(kNobody) != 0)) {
      ::_exit(kStillAllowed);
    }
    if (::access(forbidden.c_str(), R_OK) == 0) ::_exit(kStillAllowed);
    int result = 99;
    try {
      result = body();
    } catch (...) {
    }
    ::_exit(result);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace lore::test
