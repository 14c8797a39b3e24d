#include "index/lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <string>
#include <system_error>
#include <thread>

namespace lore::index {
namespace {

std::string holder_of(int file) {
  std::array<char, 32> digits{};
  const ssize_t size = ::pread(file, digits.data(), digits.size(), 0);
  std::string holder(digits.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  holder.resize(std::min(holder.find_first_not_of("0123456789"), holder.size()));
  return holder.empty() ? "another process" : "process " + holder;
}

// Somebody may have removed the folder, and made it again, while this process waited.
bool is_still_at(int file, const std::filesystem::path& path) {
  struct stat held {};
  struct stat named {};
  return ::fstat(file, &held) == 0 && ::stat(path.c_str(), &named) == 0 &&
         held.st_ino == named.st_ino && held.st_dev == named.st_dev;
}

}  // namespace

Error cannot_write_index(const std::filesystem::path& folder, const std::filesystem::path& path,
                         int number) {
  const Error error = system_error("write", path, number, true);
  if (error.code() != ErrorCode::read_only) return error;
  return Error(ErrorCode::read_only,
               "the index " + folder.string() + " cannot be written (" +
                   std::generic_category().message(number) +
                   "); put it elsewhere with --index, or get the right to write there",
               folder.string());
}

WriterLock::WriterLock(const std::filesystem::path& folder, unsigned wait_seconds) {
  const std::filesystem::path path = folder / "lock";
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(wait_seconds);
  for (;;) {
    if (!file_) file_ = FileDescriptor(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
    if (!file_) throw cannot_write_index(folder, path, errno);
    if (::flock(file_.get(), LOCK_EX | LOCK_NB) == 0) {
      if (is_still_at(file_.get(), path)) break;
      file_.reset();
      continue;
    }
    if (errno != EWOULDBLOCK && errno != EINTR) throw system_error("lock", path, errno);
    if (std::chrono::steady_clock::now() >= deadline) {
      const std::string holder = holder_of(file_.get());
      throw Error(ErrorCode::busy,
                  holder + " is writing to the index " + folder.string() +
                      "; wait until it has finished and run the command again",
                  folder.string());
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  // On a full disk the number is missing, and nothing else depends on it.
  const std::string number = std::to_string(::getpid()) + "\n";
  if (::ftruncate(file_.get(), 0) == 0) {
    [[maybe_unused]] const ssize_t written = ::pwrite(file_.get(), number.data(), number.size(), 0);
  }
}

}  // namespace lore::index
