#include "cli/console.hpp"

#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>

#include "base/file.hpp"

namespace lore::cli {
namespace {

constexpr std::size_t kHeldBytes = std::size_t{1} << 16;
constexpr double kProgressInterval = 0.1;  // seconds
constexpr std::string_view kEraseLine = "\r\x1b[K";

double now_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      if (errno == EPIPE) throw BrokenPipe{};
      throw system_error("write to", "standard output", errno, true);
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

/// Messages that cannot be delivered have nowhere else to go.
void write_error(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

bool is_plain_terminal() {
  const char* no_color = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  return (no_color != nullptr && *no_color != '\0') ||
         (terminal != nullptr && std::string_view(terminal) == "dumb");
}

}  // namespace

Console::Console()
    : output_is_terminal_(::isatty(STDOUT_FILENO) == 1),
      errors_are_terminal_(::isatty(STDERR_FILENO) == 1),
      plain_terminal_(is_plain_terminal()) {}

Console::~Console() { progress(""); }

void Console::out(std::string_view text) {
  held_ += text;
  if (held_.size() >= kHeldBytes) flush();
}

void Console::flush() {
  if (held_.empty()) return;
  progress("");
  const std::string text = std::move(held_);
  held_.clear();
  write_all(STDOUT_FILENO, text);
}

void Console::error_line(std::string_view line) {
  std::string text;
  if (progress_shown_) text += kEraseLine;
  progress_shown_ = false;
  last_progress_ = -1;
  text += line;
  text += '\n';
  write_error(text);
}

void Console::note(std::string_view line) {
  if (!manners_.quiet) error_line(line);
}

void Console::detail(std::string_view line) {
  if (manners_.verbose) error_line(line);
}

void Console::warn(std::string_view line) { error_line(line); }

bool Console::shows_progress() const {
  return errors_are_terminal_ && !manners_.no_progress && !manners_.quiet;
}

void Console::progress(std::string_view line) {
  if (line.empty()) {
    if (progress_shown_) write_error(kEraseLine);
    progress_shown_ = false;
    last_progress_ = -1;
    return;
  }
  if (!shows_progress()) return;
  const double now = now_seconds();
  if (last_progress_ >= 0 && now - last_progress_ < kProgressInterval) return;
  last_progress_ = now;
  progress_shown_ = true;
  write_error(std::string(kEraseLine) + std::string(line));
}

bool Console::colors_output() const {
  return output_is_terminal_ && !plain_terminal_ && !manners_.no_color;
}

bool Console::colors_errors() const {
  return errors_are_terminal_ && !plain_terminal_ && !manners_.no_color;
}

}  // namespace lore::cli
