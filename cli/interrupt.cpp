#include "cli/interrupt.hpp"

#include <unistd.h>

#include <atomic>
#include <csignal>

namespace lore::cli {
namespace {

constexpr int kInterruptedExit = 130;
constexpr int kBrokenPipeExit = 128 + SIGPIPE;

// A signal handler can reach nothing but globals: these two are the only ones of the program.
std::atomic<bool> finish_first{false};
std::atomic<bool> was_interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "usable in a signal handler");

void on_signal(int) {
  if (finish_first.load() && !was_interrupted.exchange(true)) return;
  ::_exit(kInterruptedExit);
}

}  // namespace

void set_on_interrupt(OnInterrupt what) {
  finish_first = what == OnInterrupt::finish_in_hand;
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
}

bool interrupted() noexcept { return was_interrupted.load(); }
void clear_interrupt() noexcept { was_interrupted = false; }

void ignore_broken_pipes() { std::signal(SIGPIPE, SIG_IGN); }

void end_by_broken_pipe() {
  std::signal(SIGPIPE, SIG_DFL);
  ::raise(SIGPIPE);
  ::_exit(kBrokenPipeExit);
}

}  // namespace lore::cli
