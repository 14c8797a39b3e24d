// A server that runs, and a client of it.
#pragma once

#include <httplib.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/lore_process.hpp"

namespace lore::test {

/// `lore serve` at a port of its own, with the flags given.
class Served {
 public:
  explicit Served(std::vector<std::string> flags, const RunOptions& options = {})
      : process_(with_port(std::move(flags)), options) {
    const std::string place = process_.wait_for_line("lore listens at http://");
    port_ = place.empty() ? 0 : std::stoi(place.substr(place.rfind(':') + 1));
  }

  bool ready() const { return port_ != 0; }
  int port() const { return port_; }
  /// A connection of its own.
  httplib::Client client() const {
    httplib::Client client("127.0.0.1", port_);
    client.set_read_timeout(120);
    return client;
  }
  /// Answers of the given status as JSON; null (and a failure of the test) otherwise.
  nlohmann::json post(const std::string& path, const nlohmann::json& body, int status = 200) const {
    return checked(client().Post(path, body.dump(), "application/json"), path, status);
  }
  nlohmann::json get(const std::string& path, int status = 200) const {
    return checked(client().Get(path), path, status);
  }
  /// Tells it to stop; what it left.
  Outcome stop() {
    process_.signal(SIGINT);
    return process_.finish();
  }
  Running& process() { return process_; }

 private:
  static std::vector<std::string> with_port(std::vector<std::string> flags) {
    flags.insert(flags.begin(), {"serve", "--port", "0"});
    return flags;
  }
  static nlohmann::json checked(const httplib::Result& result, const std::string& path,
                                int status) {
    if (!result) {
      ADD_FAILURE() << path << ": no answer, " << httplib::to_string(result.error());
      return nullptr;
    }
    EXPECT_EQ(result->status, status) << path << ": " << result->body;
    return nlohmann::json::parse(result->body, nullptr, false);
  }

  Running process_;
  int port_ = 0;
};

}  // namespace lore::test
