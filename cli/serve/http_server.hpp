// HTTP as the rest of serve/ sees it. The only place that knows the HTTP library is
// http_server.cpp.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lore::cli::serve {

/// A request, read whole (but for its body, where `before_body` sees it).
struct HttpRequest {
  std::string method;
  std::string path;  ///< decoded, without the query
  std::string body;
  std::string peer;                                            ///< the client's address
  std::vector<std::pair<std::string, std::string>> query;      ///< decoded
  std::function<std::string(const std::string& name)> header;  ///< "" where there is none
  std::function<bool()> connected;                             ///< the client still waits

  std::string parameter(std::string_view name) const;
};

/// Sends a piece at once; false where the client has gone.
using HttpSink = std::function<bool(std::string_view)>;

/// What is answered: `body`, or what `stream` writes, or `file` (with ranges).
struct HttpResponse {
  int status = 200;
  std::string content_type = "application/json";
  std::string body{};
  std::vector<std::pair<std::string, std::string>> headers{};
  std::function<void(const HttpSink&)> stream{};
  std::filesystem::path file{};
};

struct HttpOptions {
  std::string host;
  int port = 0;  ///< 0: any that is free
  std::size_t max_body = 0;
  std::size_t connections = 96;  ///< served at the same time
  /// A request has to arrive whole within this; a client has to take each piece within it.
  std::chrono::seconds patience{30};
};

struct HttpHandlers {
  /// Sees the head of each request before its body is read. An answer ends the matter.
  std::function<std::unique_ptr<HttpResponse>(const HttpRequest&)> before_body;
  std::function<HttpResponse(const HttpRequest&)> answer;
  /// The body for what HTTP itself refuses: 400, 404, 413, …
  std::function<std::string(int status)> refusal;
  std::function<void(const HttpRequest&, int status)> log;
};

/// Serves connections, a thread each.
///
/// Thread safety: stop() from any thread; the handlers are called from many at the same time.
class HttpServer {
 public:
  /// Binds. Throws Error{busy} where the port is taken, Error{invalid_argument} for an address that
  /// this machine does not have.
  HttpServer(HttpOptions options, HttpHandlers handlers);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  int port() const;
  /// Returns after stop(), when the requests in hand are answered.
  void run();
  void stop();

 private:
  class Connections;
  std::unique_ptr<Connections> connections_;
};

}  // namespace lore::cli::serve
