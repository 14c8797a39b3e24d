// Standard output and standard error, as people and scripts expect them.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "cli/render/style.hpp"

namespace lore::cli {

/// Thrown when the reader of standard output has gone ("| head"): the command ends quietly.
struct BrokenPipe {};

/// Results go to standard output, everything else to standard error.
///
/// Thread safety: one thread at a time for out(), flush() and set(); the rest from any thread.
class Console {
 public:
  Console();
  ~Console();
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;

  struct Manners {
    bool quiet = false;    ///< no notes
    bool verbose = false;  ///< details too
    bool no_color = false;
    bool no_progress = false;
    bool screen_reader = false;  ///< for them: lines that stay, without signs that are only seen
  };
  void set(const Manners& manners) { manners_ = manners; }

  /// Appends to standard output. Throws Error{no_space, io} and BrokenPipe.
  void out(std::string_view text);
  /// Appends what is still being written: seen at once, or heard a sentence at a time.
  void stream(std::string_view text);
  /// Writes out what out() holds back.
  void flush();

  // Messages may quote files: their control characters do nothing.
  void note(std::string_view line);    ///< unless quiet
  void detail(std::string_view line);  ///< only when verbose
  void warn(std::string_view line);    ///< always
  /// Replaces the progress line (a terminal only, at most ten times a second), cut to its width; ""
  /// takes it away. `share`: of the work that is done, for terminals that show it on the taskbar.
  /// For screen readers: a line of its own, every ten seconds.
  void progress(std::string_view line, std::optional<double> share = std::nullopt);
  bool shows_progress() const;

  bool output_is_terminal() const { return output_is_terminal_; }
  Style style() const;  ///< colours on a terminal, where they are wanted

 private:
  void error_line(std::string_view line);
  void erase_progress();  // with mutex_ held
  bool has_taskbar() const;
  void show_progress(std::string_view line, std::optional<double> share);
  void tell_progress(std::string_view line);

  Manners manners_;
  bool output_is_terminal_;
  bool errors_are_terminal_;
  bool plain_terminal_;  ///< NO_COLOR, or a terminal that knows no escapes
  std::string held_;     ///< for standard output
  std::mutex mutex_;     // of what follows, and of standard error
  bool progress_shown_ = false;
  bool taskbar_shown_ = false;
  double last_progress_ = -1;  ///< seconds of a steady clock
};

}  // namespace lore::cli
