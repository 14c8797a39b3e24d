#include "tests/index/child.hpp"

#include <grp.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <exception>

namespace lore::index::test {
namespace {

constexpr uid_t kNobody = 65534;

void send(int file, const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t size = ::write(file, text.data() + at, text.size() - at);
    if (size <= 0) return;
    at += static_cast<std::size_t>(size);
  }
}

}  // namespace

pid_t start_child(const std::function<void()>& body) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  try {
    body();
  } catch (...) {
    ::_exit(2);
  }
  ::_exit(0);
}

int wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

ChildResult run_child(const std::function<std::string()>& body) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) return {};
  const pid_t child = start_child([&] {
    std::string report;
    try {
      report = body();
    } catch (const std::exception& error) {
      report = error.what();
    }
    send(ends[1], "+" + report);
  });
  ::close(ends[1]);
  std::string received;
  std::array<char, 4096> piece{};
  for (;;) {
    const ssize_t size = ::read(ends[0], piece.data(), piece.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) break;
    received.append(piece.data(), static_cast<std::size_t>(size));
  }
  ::close(ends[0]);
  ChildResult result;
  result.signal = wait_for(child);
  result.finished = !received.empty();
  if (result.finished) result.report = received.substr(1);
  return result;
}

bool become_nobody() {
  return ::setgroups(0, nullptr) == 0 && ::setgid(kNobody) == 0 && ::setuid(kNobody) == 0 &&
         ::geteuid() == kNobody;
}

}  // namespace lore::index::test
