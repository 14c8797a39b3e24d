#include "cli/serve/http_server.hpp"

#include <httplib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "cli/serve/http_connection.hpp"
#include "lore/error.hpp"

namespace lore::cli::serve {
namespace {

constexpr std::chrono::seconds kKeepAlive{5};  // between two requests of a connection
constexpr std::size_t kFilePiece = std::size_t{256} << 10;

/// The library's view of a connection.
class ConnectionStream final : public httplib::Stream {
 public:
  explicit ConnectionStream(HttpConnection& connection) : connection_(connection) {}

  bool is_readable() const override { return connection_.is_readable(); }
  bool is_writable() const override { return connection_.alive(); }
  ssize_t read(char* out, std::size_t size) override { return connection_.read(out, size); }
  ssize_t write(const char* data, std::size_t size) override {
    return connection_.write(data, size);
  }
  void get_remote_ip_and_port(std::string& ip, int& port) const override {
    address(::getpeername, ip, port);
  }
  void get_local_ip_and_port(std::string& ip, int& port) const override {
    address(::getsockname, ip, port);
  }
  socket_t socket() const override { return connection_.socket(); }

 private:
  template <typename Ask>
  void address(Ask ask, std::string& ip, int& port) const {
    sockaddr_storage storage{};
    socklen_t length = sizeof(storage);
    auto* any = reinterpret_cast<sockaddr*>(&storage);
    std::array<char, NI_MAXHOST> host{};
    std::array<char, NI_MAXSERV> service{};
    if (ask(connection_.socket(), any, &length) != 0 ||
        ::getnameinfo(any, length, host.data(), host.size(), service.data(), service.size(),
                      NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
      return;
    }
    ip = host.data();
    port = std::atoi(service.data());
  }

  HttpConnection& connection_;
};

// The library hands a handler nothing of the connection. Its request has a callback that only its
// client uses: through it a handler asks these.
constexpr std::uint64_t kAskAlive = 0;
constexpr std::uint64_t kCloseAfterThis = 1;

/// All but the body.
HttpRequest head_of(const httplib::Request& from) {
  HttpRequest request;
  request.method = from.method;
  request.path = from.path;
  request.peer = from.remote_addr;
  for (const auto& [name, value] : from.params) request.query.emplace_back(name, value);
  request.header = [&from](const std::string& name) { return from.get_header_value(name); };
  request.connected = [&from] { return from.progress(kAskAlive, 0); };
  return request;
}

HttpRequest whole_of(const httplib::Request& from) {
  HttpRequest request = head_of(from);
  request.body = from.body;
  return request;
}

/// What is left of the request is unread, so that no other one can follow it.
void close_after(const httplib::Request& request, httplib::Response& response) {
  request.progress(kCloseAfterThis, 0);
  response.set_header("Connection", "close");
}

void send_file(const std::filesystem::path& path, const std::string& type, httplib::Response& to) {
  const auto file = std::make_shared<std::ifstream>(path, std::ios::binary);
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (!*file || error) {
    to.status = 404;
    return;
  }
  to.set_header("Accept-Ranges", "bytes");
  to.set_content_provider(
      size, type, [file](std::size_t offset, std::size_t length, httplib::DataSink& sink) {
        std::string piece(std::min(length, kFilePiece), '\0');
        file->seekg(static_cast<std::streamoff>(offset));
        file->read(piece.data(), static_cast<std::streamsize>(piece.size()));
        return file->gcount() > 0 &&
               sink.write(piece.data(), static_cast<std::size_t>(file->gcount()));
      });
}

void respond(HttpResponse&& from, httplib::Response& to) {
  // Left to the library where all is well: of a part of a file it makes 206.
  if (from.status != 200) to.status = from.status;
  for (const auto& [name, value] : from.headers) to.set_header(name, value);
  if (from.stream) {
    to.set_chunked_content_provider(
        from.content_type, [stream = std::move(from.stream)](std::size_t, httplib::DataSink& sink) {
          bool open = true;
          stream([&](std::string_view piece) {
            open = open && (piece.empty() || sink.write(piece.data(), piece.size()));
            return open;
          });
          if (open) sink.done();
          return open;
        });
  } else if (!from.file.empty()) {
    send_file(from.file, from.content_type, to);
  } else {
    to.set_content(from.body, from.content_type);
  }
}

}  // namespace

class HttpServer::Connections final : public httplib::Server {
 public:
  Connections(HttpOptions options, HttpHandlers handlers)
      : options_(std::move(options)), handlers_(std::move(handlers)) {
    new_task_queue = [this] {
      return std::make_unique<httplib::ThreadPool>(options_.connections).release();
    };
    set_payload_max_length(options_.max_body);
    set_tcp_nodelay(true);
    // Not the library's own choice, which lets two servers share a port.
    set_socket_options([](socket_t socket) {
      const int yes = 1;
      ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    });
    set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
      auto refused = handlers_.before_body(head_of(request));
      if (!refused) return HandlerResponse::Unhandled;
      close_after(request, response);
      respond(std::move(*refused), response);
      return HandlerResponse::Handled;
    });
    const auto answer = [this](const httplib::Request& request, httplib::Response& response) {
      respond(handlers_.answer(whole_of(request)), response);
    };
    Get(".*", answer);
    Post(".*", answer);
    Put(".*", answer);
    Delete(".*", answer);
    Options(".*", answer);
    set_error_handler([this](const httplib::Request& request, httplib::Response& response) {
      if (response.status == 413) close_after(request, response);
      if (response.body.empty()) {
        response.set_content(handlers_.refusal(response.status), "application/json");
      }
    });
    set_logger([this](const httplib::Request& request, const httplib::Response& response) {
      handlers_.log(head_of(request), response.status);
    });
    bind();
  }

  int port() const { return options_.port; }
  bool has_socket() const { return svr_sock_ != INVALID_SOCKET; }

 private:
  void bind() {
    if (options_.port == 0) {
      options_.port = bind_to_any_port(options_.host);
      if (options_.port > 0) return;
    } else if (bind_to_port(options_.host, options_.port)) {
      return;
    }
    const int reason = errno;
    const std::string place = options_.host + ":" + std::to_string(options_.port);
    if (reason == EADDRINUSE) {
      throw Error(ErrorCode::busy,
                  "another program listens at " + place + "; choose another --port", "--port");
    }
    throw Error(ErrorCode::invalid_argument,
                "cannot listen at " + place + " (" + std::strerror(reason) +
                    "); choose an address of this machine by --host, and a --port from 1024 on",
                "--host");
  }

  bool process_and_close_socket(socket_t socket) override {
    HttpConnection connection(socket, options_.patience, [this] { return !has_socket(); });
    ConnectionStream stream(connection);
    bool fine = true;
    bool closed = false;
    while (fine && !closed && !connection.closing() && connection.wait_for_request(kKeepAlive) &&
           connection.alive()) {
      connection.begin_request();
      fine = process_request(stream, false, closed, [&](httplib::Request& request) {
        request.progress = [&](std::uint64_t what, std::uint64_t) {
          if (what == kCloseAfterThis) connection.close_after_this();
          return connection.alive();
        };
        // `curl -d` calls a body of JSON a form, and the library would take it apart.
        request.headers.erase("Content-Type");
      });
    }
    ::shutdown(socket, SHUT_RDWR);
    ::close(socket);
    return fine;
  }

  HttpOptions options_;
  HttpHandlers handlers_;
};

std::string HttpRequest::parameter(std::string_view name) const {
  const auto found = std::find_if(query.begin(), query.end(),
                                  [&](const auto& entry) { return entry.first == name; });
  return found == query.end() ? std::string() : found->second;
}

HttpServer::HttpServer(HttpOptions options, HttpHandlers handlers)
    : connections_(std::make_unique<Connections>(std::move(options), std::move(handlers))) {}
HttpServer::~HttpServer() = default;
int HttpServer::port() const { return connections_->port(); }
void HttpServer::run() { connections_->listen_after_bind(); }
void HttpServer::stop() {
  // The library takes its socket for granted, which a first call has closed.
  if (connections_->has_socket()) connections_->stop();
}

}  // namespace lore::cli::serve
