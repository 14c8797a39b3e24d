// Who may ask: the names that the server answers to, the pages that may call it, the key.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/serve/http_server.hpp"

namespace lore::cli::serve {

struct GuardOptions {
  std::string host;                    ///< that the server listens at
  std::vector<std::string> names{};    ///< further names of this machine in a Host header
  std::vector<std::string> origins{};  ///< of web pages elsewhere that may call ("http://…")
  std::string key{};                   ///< empty: none is asked for
};

/// "127.0.0.1", "::1", "localhost" and the like.
bool is_loopback(std::string_view host);

/// A page elsewhere can make a browser on this machine send requests here: its own name (Host) or
/// where it comes from (Origin) gives it away.
///
/// Thread safety: immutable.
class Guard {
 public:
  explicit Guard(GuardOptions options);

  /// Null where the request may pass.
  std::unique_ptr<HttpResponse> check(const HttpRequest& request) const;
  /// What a browser wants to know before it calls from `origin`; none where it may not.
  std::vector<std::pair<std::string, std::string>> cross_origin_headers(
      const HttpRequest& request) const;

 private:
  bool knows_host(std::string_view host) const;
  bool allows_origin(const HttpRequest& request) const;
  bool has_key(const HttpRequest& request) const;

  GuardOptions options_;
};

}  // namespace lore::cli::serve
