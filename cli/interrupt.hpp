// Ctrl-C.
#pragma once

namespace lore::cli {

/// What Ctrl-C (and SIGTERM) does from now on.
enum class OnInterrupt {
  end_at_once,     ///< exit code 130: nothing is in hand that could be lost
  finish_in_hand,  ///< interrupted() becomes true; a second one ends at once
};

void set_on_interrupt(OnInterrupt what);
bool interrupted() noexcept;
/// What was interrupted has ended; the next Ctrl-C is the first again.
void clear_interrupt() noexcept;

/// A reader of our output that has gone is told by write(), not by a signal.
void ignore_broken_pipes();
/// Ends the process as that signal would have.
[[noreturn]] void end_by_broken_pipe();

}  // namespace lore::cli
