#include "ingest/worker/child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <thread>
#include <utility>

#include "ingest/worker/protocol.hpp"

extern char** environ;  // NOLINT: handed on to the child, never looked at

namespace lore::ingest::worker {
namespace {

constexpr int kFirstFree = 16;  // above the descriptors that the child sees

Error start_error(const std::string& program, int number) {
  return system_error("start the reader of documents", program, number);
}

/// The same file under a number that the child's own descriptors cannot collide with.
FileDescriptor moved_up(int descriptor, const std::string& program) {
  FileDescriptor moved(::fcntl(descriptor, F_DUPFD_CLOEXEC, kFirstFree));
  if (!moved) throw start_error(program, errno);
  return moved;
}

/// The request in an anonymous file: nothing to block on, nothing that raises SIGPIPE.
FileDescriptor request_file(const std::string& request, const std::string& program) {
  FileDescriptor file(::memfd_create("lore-request", MFD_CLOEXEC));
  if (!file) throw start_error(program, errno);
  std::size_t done = 0;
  while (done < request.size()) {
    const ssize_t count = ::write(file.get(), request.data() + done, request.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) throw start_error(program, errno);
    done += static_cast<std::size_t>(count);
  }
  if (::lseek(file.get(), 0, SEEK_SET) != 0) throw start_error(program, errno);
  return moved_up(file.get(), program);
}

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

class SpawnActions {
 public:
  SpawnActions() {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawnattr_init(&attributes_);
  }
  ~SpawnActions() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }
  SpawnActions(const SpawnActions&) = delete;
  SpawnActions& operator=(const SpawnActions&) = delete;

  posix_spawn_file_actions_t* actions() { return &actions_; }
  posix_spawnattr_t* attributes() { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

}  // namespace

ChildProcess::ChildProcess(const std::vector<std::string>& command, const std::string& request,
                           const FileDescriptor& document) {
  const std::string& program = command.front();
  const FileDescriptor input = request_file(request, program);
  const FileDescriptor file = moved_up(document.get(), program);
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw start_error(program, errno);
  output_ = FileDescriptor(ends[0]);
  const FileDescriptor lower_end(ends[1]);
  const FileDescriptor write_end = moved_up(lower_end.get(), program);

  SpawnActions spawn;
  ::posix_spawn_file_actions_adddup2(spawn.actions(), input.get(), STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(spawn.actions(), write_end.get(), STDOUT_FILENO);
  ::posix_spawn_file_actions_addopen(spawn.actions(), STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_adddup2(spawn.actions(), file.get(), kDocumentDescriptor);
  ::posix_spawn_file_actions_addclosefrom_np(spawn.actions(), kDocumentDescriptor + 1);
  // Ctrl-C goes to the whole group of the terminal: the parent decides when the child ends.
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  ::posix_spawnattr_setsigmask(spawn.attributes(), &none);
  ::posix_spawnattr_setsigdefault(spawn.attributes(), &all);
  ::posix_spawnattr_setpgroup(spawn.attributes(), 0);
  ::posix_spawnattr_setflags(
      spawn.attributes(), POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  std::vector<char*> arguments;
  for (const std::string& part : command) arguments.push_back(const_cast<char*>(part.c_str()));
  arguments.push_back(nullptr);
  const int error = ::posix_spawnp(&id_, program.c_str(), spawn.actions(), spawn.attributes(),
                                   arguments.data(), environ);
  if (error != 0) {
    id_ = -1;
    throw start_error(program, error);
  }
}

ChildProcess::~ChildProcess() { finish(std::chrono::milliseconds(0)); }

ChildProcess::Read ChildProcess::read(std::string& into, std::chrono::milliseconds wait) {
  pollfd poll{output_.get(), POLLIN, 0};
  const int ready = ::poll(&poll, 1, static_cast<int>(wait.count()));
  if (ready <= 0) return Read::nothing_yet;  // EINTR, too: the caller looks at its stop first
  std::array<char, 65536> buffer;
  const ssize_t count = ::read(output_.get(), buffer.data(), buffer.size());
  if (count < 0) return errno == EINTR ? Read::nothing_yet : Read::end;
  if (count == 0) return Read::end;
  into.append(buffer.data(), static_cast<std::size_t>(count));
  return Read::bytes;
}

ChildProcess::End ChildProcess::finish(std::chrono::milliseconds grace) {
  if (id_ < 0) return end_;
  const auto deadline = std::chrono::steady_clock::now() + grace;
  rusage used{};
  for (;;) {
    const pid_t ended = ::wait4(id_, &end_.status, WNOHANG, &used);
    if (ended == id_ || (ended < 0 && errno != EINTR)) break;
    if (std::chrono::steady_clock::now() >= deadline) {
      end_.by_us = true;
      ::kill(id_, SIGKILL);
      while (::wait4(id_, &end_.status, 0, &used) < 0 && errno == EINTR) {
      }
      break;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  end_.cpu_seconds = seconds_of(used.ru_utime) + seconds_of(used.ru_stime);
  id_ = -1;
  return end_;
}

}  // namespace lore::ingest::worker
