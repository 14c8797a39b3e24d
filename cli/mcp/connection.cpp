#include "cli/mcp/connection.hpp"

#include <chrono>
#include <exception>
#include <utility>

namespace lore::cli::mcp {
namespace {

constexpr std::size_t kMostRunning = 32;

Json member(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found == object.end() ? Json() : *found;
}

bool is_id(const Json& id) { return id.is_string() || id.is_number(); }

}  // namespace

void Call::progress(double done, const std::string& message) {
  if (progress_token_.is_null()) return;
  const std::lock_guard lock(mutex_);
  if (done <= told_) return;
  told_ = done;
  notify_(
      {{"jsonrpc", "2.0"},
       {"method", "notifications/progress"},
       {"params", {{"progressToken", progress_token_}, {"progress", done}, {"message", message}}}});
}

Connection::Connection(std::function<void(const std::string&)> write,
                       std::map<std::string, Method> fast, std::map<std::string, Method> slow)
    : write_(std::move(write)), fast_(std::move(fast)), slow_(std::move(slow)) {}

Connection::~Connection() {
  for (auto& [id, running] : running_) running.call->cancel();
  finish();
}

void Connection::finish() {
  for (auto& [id, running] : running_) running.done.wait();
  running_.clear();
}

void Connection::forget_ended() {
  std::erase_if(running_, [](const auto& entry) {
    return entry.second.done.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  });
}

void Connection::send(const Json& message) {
  const std::string line = dump(message);
  const std::lock_guard lock(write_mutex_);
  write_(line);
}

void Connection::send_error(const Json& id, int code, const std::string& message) {
  send({{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", code}, {"message", message}}}});
}

void Connection::receive(std::string_view line) {
  if (line.find_first_not_of(" \t\r") == std::string_view::npos) return;
  const Json message = Json::parse(line, nullptr, false);
  if (message.is_discarded()) return send_error(nullptr, kParseError, "this line is no JSON");
  if (!message.is_array()) return receive_one(message);
  // A batch, which older versions of the protocol know.
  for (const Json& one : message) receive_one(one);
}

void Connection::receive_one(const Json& message) {
  if (!message.is_object()) return send_error(nullptr, kInvalidRequest, "this is no message");
  const Json method = member(message, "method");
  const Json id = member(message, "id");
  Json parameters = member(message, "params");
  if (parameters.is_null()) parameters = Json::object();
  if (!method.is_string()) {
    // An answer to a request; this side sends none.
    if (message.contains("result") || message.contains("error")) return;
    return send_error(is_id(id) ? id : Json(), kInvalidRequest, "the message names no method");
  }
  const auto name = method.get<std::string>();
  if (!parameters.is_object()) {
    return send_error(is_id(id) ? id : Json(), kInvalidParameters, "params must be an object");
  }
  if (id.is_null()) return notified(name, parameters);
  if (!is_id(id)) return send_error(nullptr, kInvalidRequest, "an id is a string or a number");

  const Json token = member(member(parameters, "_meta"), "progressToken");
  const auto call = std::make_shared<Call>([this](const Json& note) { send(note); }, token);
  if (const auto fast = fast_.find(name); fast != fast_.end()) {
    return answer(id, fast->second, parameters, *call);
  }
  const auto slow = slow_.find(name);
  if (slow == slow_.end()) {
    return send_error(id, kMethodNotFound, "there is no method '" + name + "'");
  }
  forget_ended();
  if (running_.size() >= kMostRunning) {
    return send_error(id, kInternalError, "too many requests at the same time; wait for answers");
  }
  auto done = std::async(std::launch::async, [this, id, call, parameters, &method = slow->second] {
    answer(id, method, parameters, *call);
  });
  running_.insert_or_assign(dump(id), Running{call, std::move(done)});
}

void Connection::notified(const std::string& method, const Json& parameters) {
  if (method != "notifications/cancelled") return;
  const auto found = running_.find(dump(member(parameters, "requestId")));
  if (found != running_.end()) found->second.call->cancel();
}

/// A request that was cancelled gets no answer.
void Connection::answer(const Json& id, const Method& method, const Json& parameters, Call& call) {
  try {
    Json result = method(parameters, call);
    if (!call.cancelled()) send({{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}});
  } catch (const ProtocolError& error) {
    if (!call.cancelled()) send_error(id, error.code, error.message);
  } catch (const std::exception& error) {
    if (!call.cancelled()) send_error(id, kInternalError, error.what());
  }
}

}  // namespace lore::cli::mcp
