// JSON-RPC 2.0 as the Model Context Protocol speaks it over standard input and output: one message
// a line. https://modelcontextprotocol.io/specification/2025-06-18/basic
#pragma once

#include <atomic>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "cli/json_fields.hpp"

namespace lore::cli::mcp {

// Error codes of JSON-RPC.
inline constexpr int kParseError = -32700;
inline constexpr int kInvalidRequest = -32600;
inline constexpr int kMethodNotFound = -32601;
inline constexpr int kInvalidParameters = -32602;
inline constexpr int kInternalError = -32603;

/// Ends a request with an error of the protocol.
struct ProtocolError {
  int code;
  std::string message;
};

/// A request in hand.
class Call {
 public:
  Call(std::function<void(const Json&)> notify, Json progress_token)
      : notify_(std::move(notify)), progress_token_(std::move(progress_token)) {}

  bool cancelled() const { return cancelled_; }
  void cancel() { cancelled_ = true; }
  /// Tells how far it is, to a client that wants to know.
  void progress(double done, const std::string& message);

 private:
  std::function<void(const Json&)> notify_;
  Json progress_token_;  // null: nobody wants to know
  std::mutex mutex_;
  double told_ = 0;  // has to rise
  std::atomic<bool> cancelled_{false};
};

/// Answers a request: returns the result, or throws ProtocolError.
using Method = std::function<Json(const Json& parameters, Call& call)>;

/// Reads messages, answers them, several at the same time.
class Connection {
 public:
  /// `write`: one line. `slow`: methods that run on a thread of their own; the others answer at
  /// once.
  Connection(std::function<void(const std::string& line)> write, std::map<std::string, Method> fast,
             std::map<std::string, Method> slow);
  /// Cancels what is in hand and waits for its end.
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void receive(std::string_view line);
  /// Waits until all that was received is answered.
  void finish();

 private:
  struct Running {
    std::shared_ptr<Call> call;
    std::future<void> done;
  };

  void receive_one(const Json& message);
  void notified(const std::string& method, const Json& parameters);
  void answer(const Json& id, const Method& method, const Json& parameters, Call& call);
  void send(const Json& message);
  void send_error(const Json& id, int code, const std::string& message);
  void forget_ended();

  std::function<void(const std::string&)> write_;
  std::map<std::string, Method> fast_;
  std::map<std::string, Method> slow_;
  std::mutex write_mutex_;
  std::map<std::string, Running> running_;  // by the request's id, as JSON; of the reading thread
};

}  // namespace lore::cli::mcp
