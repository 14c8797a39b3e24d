// A file descriptor with an owner, and whole reads and writes.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <string_view>

namespace single_file {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    if (this != &other) {
      close();
      number_ = other.release();
    }
    return *this;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  explicit operator bool() const { return number_ >= 0; }
  int get() const { return number_; }
  int release() {
    const int number = number_;
    number_ = -1;
    return number;
  }

 private:
  void close() {
    if (number_ >= 0) ::close(number_);
  }

  int number_ = -1;
};

inline Descriptor open_in(const Descriptor& folder, const char* name, int flags, mode_t mode = 0) {
  return Descriptor(::openat(folder.get(), name, flags | O_CLOEXEC, mode));
}

/// Bytes read, fewer than `size` only where the file ends or cannot be read (errno).
inline std::size_t read_at(const Descriptor& file, void* out, std::size_t size, off_t at) {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t count = ::pread(file.get(), static_cast<char*>(out) + done, size - done,
                                  at + static_cast<off_t>(done));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    done += static_cast<std::size_t>(count);
  }
  return done;
}

/// False with errno where not all could be written.
inline bool write_all(const Descriptor& file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(file.get(), bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

}  // namespace single_file
