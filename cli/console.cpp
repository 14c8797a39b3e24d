#include "cli/console.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>

#include "base/file.hpp"
#include "base/utf8.hpp"

namespace lore::cli {
namespace {

constexpr std::size_t kHeldBytes = std::size_t{1} << 16;
constexpr double kProgressInterval = 0.1;  // seconds
constexpr double kSpokenInterval = 10;
constexpr std::string_view kEraseLine = "\r\x1b[K";
constexpr std::string_view kNoTaskbar = "\x1b]9;4;0\x1b\\";

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

std::size_t terminal_width() {
  constexpr std::size_t kUsualWidth = 80;
  winsize size{};
  const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
  return known ? size.ws_col : kUsualWidth;
}

/// As much of a line as fits so many columns: one that wraps could not be erased again.
std::string fitted(std::string_view line, std::size_t columns) {
  constexpr char32_t kFirstWide = 0x1100;  // what stands above may take two columns
  std::string text;
  for (std::size_t offset = 0; offset < line.size();) {
    const char32_t c = utf8::next(line, offset);
    const std::size_t width = c >= kFirstWide ? 2 : 1;
    if (width > columns) break;
    columns -= width;
    utf8::append(text, c < 0x20 ? U' ' : c);
  }
  return text;
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

void Console::stream(std::string_view text) {
  constexpr std::string_view kSentenceEnds = ".!?:;\n";
  out(text);
  const bool complete = !held_.empty() && kSentenceEnds.find(held_.back()) != std::string::npos;
  if (!manners_.screen_reader || complete) flush();
}

void Console::flush() {
  if (held_.empty()) return;
  progress("");
  const std::string text = std::move(held_);
  held_.clear();
  write_all(STDOUT_FILENO, text);
}

/// Escapes of ConEmu that most terminals pass over, but for one that shows them as messages.
bool Console::has_taskbar() const {
  const char* program = std::getenv("TERM_PROGRAM");
  return !plain_terminal_ && (program == nullptr || std::string_view(program) != "iTerm.app");
}

void Console::erase_progress() {
  if (progress_shown_) {
    write_error(kEraseLine);
    last_progress_ = -1;  // the next one is shown at once
  }
  if (taskbar_shown_) write_error(kNoTaskbar);
  taskbar_shown_ = false;
  progress_shown_ = false;
}

void Console::error_line(std::string_view line) {
  const std::lock_guard lock(mutex_);
  erase_progress();
  write_error(printable(line) + '\n');
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

void Console::progress(std::string_view line, std::optional<double> share) {
  const std::lock_guard lock(mutex_);
  if (line.empty()) {
    erase_progress();
    return;
  }
  if (!shows_progress()) return;
  if (manners_.screen_reader) {
    tell_progress(line);
  } else {
    show_progress(line, share);
  }
}

void Console::show_progress(std::string_view line, std::optional<double> share) {
  const double now = now_seconds();
  if (last_progress_ >= 0 && now - last_progress_ < kProgressInterval) return;
  last_progress_ = now;
  progress_shown_ = true;
  std::string text = std::string(kEraseLine) + fitted(line, terminal_width() - 1);
  if (share && has_taskbar()) {
    const int percent = static_cast<int>(100 * std::clamp(*share, 0.0, 1.0));
    text += "\x1b]9;4;1;" + std::to_string(percent) + "\x1b\\";
    taskbar_shown_ = true;
  }
  write_error(text);
}

void Console::tell_progress(std::string_view line) {
  const double now = now_seconds();
  if (last_progress_ < 0) last_progress_ = now;  // short work needs no words
  if (now - last_progress_ < kSpokenInterval) return;
  last_progress_ = now;
  write_error(printable(line) + '\n');
}

Style Console::style() const {
  const bool colors =
      output_is_terminal_ && !plain_terminal_ && !manners_.no_color && !manners_.screen_reader;
  return Style(colors, manners_.screen_reader);
}

}  // namespace lore::cli
