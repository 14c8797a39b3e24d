#include "cli/serve/http_connection.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace lore::cli::serve {
namespace {

/// Waits until the socket is ready for `events`; false where the time is over.
bool wait_for(int socket, short events, std::chrono::milliseconds timeout) {
  pollfd watched{socket, events, 0};
  while (true) {
    const int ready = ::poll(&watched, 1, static_cast<int>(std::max<long>(timeout.count(), 0)));
    if (ready > 0) return true;
    if (ready == 0 || errno != EINTR) return false;
  }
}

}  // namespace

HttpConnection::HttpConnection(int socket, std::chrono::milliseconds patience,
                               std::function<bool()> stopping)
    : socket_(socket), patience_(patience), stopping_(std::move(stopping)) {
  begin_request();
}

void HttpConnection::begin_request() { deadline_ = Clock::now() + patience_; }

bool HttpConnection::wait_for_request(std::chrono::milliseconds timeout) {
  return !held_.empty() || wait_until_readable(Clock::now() + timeout);
}

bool HttpConnection::wait_until_readable(Clock::time_point deadline) const {
  constexpr std::chrono::milliseconds kTick{100};
  while (!stopping_()) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0) return false;
    if (wait_for(socket_, POLLIN, std::min(left, kTick))) return true;
  }
  return false;
}

ssize_t HttpConnection::read(char* out, std::size_t size) {
  if (held_.empty()) {
    if (!wait_until_readable(deadline_)) return -1;
    const ssize_t got = ::recv(socket_, buffer_.data(), buffer_.size(), 0);
    if (got <= 0) return got;
    held_ = std::span<const char>(buffer_).first(static_cast<std::size_t>(got));
  }
  const std::size_t count = std::min(size, held_.size());
  std::copy_n(held_.begin(), count, out);
  held_ = held_.subspan(count);
  return static_cast<ssize_t>(count);
}

ssize_t HttpConnection::write(const char* data, std::size_t size) {
  std::size_t sent = 0;
  while (sent < size) {
    if (!wait_for(socket_, POLLOUT, patience_)) return -1;
    const ssize_t count = ::send(socket_, data + sent, size - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (count < 0) return -1;
    sent += static_cast<std::size_t>(count);
  }
  return static_cast<ssize_t>(size);
}

bool HttpConnection::is_readable() const {
  return !held_.empty() || wait_for(socket_, POLLIN, std::chrono::milliseconds(0));
}

bool HttpConnection::alive() const {
  char byte = 0;
  const ssize_t got = ::recv(socket_, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return got > 0 || (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR));
}

}  // namespace lore::cli::serve
