#include "tests/cli/lore_process.hpp"

#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <pty.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace lore::test {
namespace {

constexpr uid_t kOtherUser = 65534;  // nobody
constexpr int kTimeoutSeconds = 240;

std::vector<std::string> environment_of(const RunOptions& options) {
  std::map<std::string, std::string> variables = {{"LC_ALL", "C.UTF-8"},
                                                  {"LORE_CONFIG", "/nonexistent/config.json"}};
  for (const char* kept :
       {"PATH", "HOME", "LORE_HOME", "XDG_DATA_HOME", "ASAN_OPTIONS", "TMPDIR"}) {
    if (const char* value = std::getenv(kept)) variables[kept] = value;
  }
  for (const auto& [name, value] : options.environment) variables[name] = value;
  std::vector<std::string> list;
  for (const auto& [name, value] : variables) list.push_back(name + "=" + value);
  return list;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (std::string& text : texts) list.push_back(text.data());
  list.push_back(nullptr);
  return list;
}

struct Pipe {
  int read = -1;
  int write = -1;
  Pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("cannot make a pipe");
    read = ends[0];
    write = ends[1];
  }
};

/// In the child, after fork: only calls that are safe there.
[[noreturn]] void become_lore(const std::array<int, 3>& streams, const RunOptions& options,
                              char* const* arguments, char* const* environment) {
  for (int i = 0; i < 3; ++i) ::dup2(streams.at(static_cast<std::size_t>(i)), i);
  std::signal(SIGPIPE, SIG_DFL);
  if (options.keyboard && (::setsid() < 0 || ::ioctl(0, TIOCSCTTY, 0) != 0)) ::_exit(126);
  if (!options.folder.empty() && ::chdir(options.folder.c_str()) != 0) ::_exit(126);
  // Opened before the rights are gone: the build may lie in a folder that is closed to others.
  const int binary = ::open(LORE_BINARY, O_RDONLY | O_CLOEXEC);
  if (options.other_user) {
    if (::setgroups(0, nullptr) != 0 || ::setgid(kOtherUser) != 0 || ::setuid(kOtherUser) != 0) {
      ::_exit(126);
    }
  }
  ::fexecve(binary, arguments, environment);
  ::_exit(127);
}

/// Standard input from a file without a name, so that nothing can block on it.
int input_of(const std::string& text) {
  std::FILE* file = std::tmpfile();
  if (file == nullptr) throw std::runtime_error("cannot make a temporary file");
  std::fwrite(text.data(), 1, text.size(), file);
  std::fflush(file);
  const int descriptor = ::fcntl(::fileno(file), F_DUPFD_CLOEXEC, 3);
  std::fclose(file);
  ::lseek(descriptor, 0, SEEK_SET);
  return descriptor;
}

}  // namespace

std::vector<std::string> Outcome::messages() const {
  std::vector<std::string> lines;
  std::istringstream stream(err);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

void Running::open_terminal(unsigned columns) {
  winsize size{};
  size.ws_row = 24;
  size.ws_col = static_cast<unsigned short>(columns);
  if (::openpty(&out_, &terminal_, nullptr, nullptr, &size) != 0) {
    throw std::runtime_error("cannot open a terminal");
  }
  for (const int end : {out_, terminal_}) ::fcntl(end, F_SETFD, FD_CLOEXEC);
}

Running::Running(const std::vector<std::string>& arguments, const RunOptions& options) {
  std::vector<std::string> words{"lore"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<std::string> variables = environment_of(options);
  const std::vector<char*> argument_list = pointers(words);
  const std::vector<char*> variable_list = pointers(variables);
  const Pipe out;
  const Pipe err;
  const int input = input_of(options.input);
  int output = out.write;
  if (!options.output.empty()) output = ::open(options.output.c_str(), O_WRONLY | O_CLOEXEC);
  if (options.closed_output) ::close(out.read);
  if (options.terminal_columns > 0) open_terminal(options.terminal_columns);
  child_ = ::fork();
  if (child_ < 0) throw std::runtime_error("cannot fork");
  if (child_ == 0) {
    const bool shown = terminal_ >= 0;
    become_lore({options.keyboard ? terminal_ : input, shown ? terminal_ : output,
                 shown ? terminal_ : err.write},
                options, argument_list.data(), variable_list.data());
  }
  if (output != out.write) ::close(output);
  ::close(input);
  ::close(out.write);
  ::close(err.write);
  err_ = err.read;
  if (terminal_ >= 0) {
    ::close(terminal_);
    ::close(out.read);
  } else if (!options.closed_output) {
    out_ = out.read;
  }
}

Running::~Running() {
  if (!ended_) {
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
  }
  if (out_ >= 0) ::close(out_);
  if (err_ >= 0) ::close(err_);
}

void Running::signal(int number) const { ::kill(child_, number); }

void Running::type(const std::string& keys) const {
  if (::write(out_, keys.data(), keys.size()) != static_cast<ssize_t>(keys.size())) {
    throw std::runtime_error("the terminal takes no keys");
  }
}

bool Running::wait_for_output(const std::string& text) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (true) {
    const std::size_t at = outcome_.out.find(text, waited_for_);
    if (at != std::string::npos) {
      waited_for_ = at + text.size();
      return true;
    }
    if (out_ < 0 || std::chrono::steady_clock::now() > end) return false;
    pump(100);
  }
}

void Running::pump(int timeout_ms) {
  std::array<pollfd, 2> ends{{{out_, POLLIN, 0}, {err_, POLLIN, 0}}};
  if (::poll(ends.data(), ends.size(), timeout_ms) <= 0) return;
  std::array<char, 65536> buffer{};
  for (pollfd& end : ends) {
    if (end.fd < 0 || end.revents == 0) continue;
    const ssize_t count = ::read(end.fd, buffer.data(), buffer.size());
    int& owner = end.fd == out_ ? out_ : err_;
    if (count > 0) {
      (end.fd == out_ ? outcome_.out : outcome_.err)
          .append(buffer.data(), static_cast<std::size_t>(count));
    } else if (count == 0 || errno == EIO) {  // a terminal that nobody has open any more
      ::close(owner);
      owner = -1;
    }
  }
}

bool Running::wait_for_error(const std::string& text) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (outcome_.err.find(text) == std::string::npos) {
    if (err_ < 0 || std::chrono::steady_clock::now() > end) return false;
    pump(100);
  }
  return true;
}

std::string Running::wait_for_line(const std::string& start) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (out_ >= 0 && std::chrono::steady_clock::now() < end) {
    const std::size_t from = outcome_.out.find(start);
    const std::size_t to = from == std::string::npos ? from : outcome_.out.find('\n', from);
    if (to != std::string::npos) {
      return outcome_.out.substr(from + start.size(), to - from - start.size());
    }
    pump(100);
  }
  return {};
}

Outcome Running::finish() {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(kTimeoutSeconds);
  while (out_ >= 0 || err_ >= 0) {
    pump(1000);
    if (std::chrono::steady_clock::now() > end) {
      ::kill(child_, SIGKILL);
      outcome_.err += "\n(killed by the test: it took too long)\n";
      break;
    }
  }
  int status = 0;
  rusage used{};
  ::wait4(child_, &status, 0, &used);
  ended_ = true;
  outcome_.peak_bytes = static_cast<std::size_t>(used.ru_maxrss) * 1024;
  outcome_.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return outcome_;
}

Outcome run_lore(const std::vector<std::string>& arguments, const RunOptions& options) {
  return Running(arguments, options).finish();
}

bool is_root() { return ::geteuid() == 0; }

TinyDisk::TinyDisk(const std::filesystem::path& folder, unsigned kib) : folder_(folder) {
  std::filesystem::create_directories(folder);
  if (!is_root() || ::unshare(CLONE_NEWNS) != 0) return;
  // Mounts of this namespace stay in it.
  if (::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return;
  const std::string size = "size=" + std::to_string(kib) + "k";
  ready_ = ::mount("none", folder.c_str(), "tmpfs", 0, size.c_str()) == 0;
}

TinyDisk::~TinyDisk() {
  if (ready_) ::umount2(folder_.c_str(), MNT_DETACH);
}

void TinyDisk::fill(unsigned free_kib) const {
  struct statvfs space {};
  ::statvfs(folder_.c_str(), &space);
  const auto free_bytes = static_cast<std::uint64_t>(space.f_bavail) * space.f_frsize;
  const std::uint64_t kept = std::uint64_t{free_kib} * 1024;
  std::ofstream file(folder_ / "filler", std::ios::binary);
  if (free_bytes > kept) file << std::string(free_bytes - kept, '\0');
}

void TinyDisk::free_again() const { std::filesystem::remove(folder_ / "filler"); }

}  // namespace lore::test
