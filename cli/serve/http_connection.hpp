// One TCP connection with a clock: nobody holds a thread for ever by sending or reading slowly.
#pragma once

#include <sys/types.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <functional>
#include <span>

namespace lore::cli::serve {

/// Does not own the socket. Thread safety: one thread at a time, alive() from any.
class HttpConnection {
 public:
  /// `stopping`: no more is read of requests that have not arrived.
  HttpConnection(int socket, std::chrono::milliseconds patience, std::function<bool()> stopping);

  /// Starts the clock of the next request.
  void begin_request();
  /// Whether a request begins to arrive within `timeout`.
  bool wait_for_request(std::chrono::milliseconds timeout);
  /// What arrives next; 0 where the client has closed, -1 where it is too slow or the connection
  /// fails.
  ssize_t read(char* out, std::size_t size);
  /// All of it, or -1.
  ssize_t write(const char* data, std::size_t size);
  bool is_readable() const;
  /// Whether the client has not closed it.
  bool alive() const;
  int socket() const { return socket_; }

  /// No further request can be read: what is left of this one is unread.
  void close_after_this() { closing_ = true; }
  bool closing() const { return closing_; }

 private:
  using Clock = std::chrono::steady_clock;

  bool wait_until_readable(Clock::time_point deadline) const;

  int socket_;
  std::chrono::milliseconds patience_;
  std::function<bool()> stopping_;
  Clock::time_point deadline_;
  bool closing_ = false;
  std::array<char, 16384> buffer_{};
  std::span<const char> held_;  // of buffer_, not read yet
};

}  // namespace lore::cli::serve
