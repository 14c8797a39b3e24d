#include "cli/serve/guard.hpp"

#include <arpa/inet.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "cli/serve/responses.hpp"

namespace lore::cli::serve {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

/// "[::1]:5673" → "::1", "localhost:5673" → "localhost".
std::string name_of(std::string_view host) {
  if (host.starts_with('[')) return lower(host.substr(1, host.find(']') - 1));
  return lower(host.substr(0, host.find(':')));
}

bool is_address(const std::string& host) {
  std::array<unsigned char, sizeof(in6_addr)> ignored{};
  return ::inet_pton(AF_INET, host.c_str(), ignored.data()) == 1 ||
         ::inet_pton(AF_INET6, host.c_str(), ignored.data()) == 1;
}

std::string machine_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? lower(name.data()) : std::string();
}

/// In a time that does not depend on where they differ.
bool equal_secrets(std::string_view a, std::string_view b) {
  unsigned char difference = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const char other = b.empty() ? '\0' : b[i % b.size()];
    difference = static_cast<unsigned char>(
        difference | (static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(other)));
  }
  return difference == 0;
}

/// Of these a browser has to see something before a person can give the key; they tell nothing.
bool needs_no_key(const HttpRequest& request) {
  return request.method == "OPTIONS" || request.path == "/health" || request.path == "/" ||
         request.path.starts_with("/web/");
}

}  // namespace

bool is_loopback(std::string_view host) {
  const std::string name = lower(host);
  return name == "localhost" || name == "::1" || (name.starts_with("127.") && is_address(name));
}

Guard::Guard(GuardOptions options) : options_(std::move(options)) {
  for (std::string& name : options_.names) name = lower(name);
  options_.names.push_back(lower(options_.host));
  if (!is_loopback(options_.host)) options_.names.push_back(machine_name());
}

bool Guard::knows_host(std::string_view host) const {
  const std::string name = name_of(host);
  if (is_loopback(name)) return true;
  if (std::find(options_.names.begin(), options_.names.end(), name) != options_.names.end()) {
    return true;
  }
  // An address is no name that somebody else could make point here.
  return !is_loopback(options_.host) && is_address(name);
}

bool Guard::allows_origin(const HttpRequest& request) const {
  const std::string origin = request.header("Origin");
  if (origin.empty()) return true;
  const std::string host = request.header("Host");
  return origin == "http://" + host || origin == "https://" + host ||
         std::find(options_.origins.begin(), options_.origins.end(), origin) !=
             options_.origins.end();
}

bool Guard::has_key(const HttpRequest& request) const {
  constexpr std::string_view kScheme = "Bearer ";
  const std::string authorization = request.header("Authorization");
  const std::string_view bearer = std::string_view(authorization).starts_with(kScheme)
                                      ? std::string_view(authorization).substr(kScheme.size())
                                      : std::string_view();
  return equal_secrets(options_.key, bearer) ||
         equal_secrets(options_.key, request.header("X-API-Key"));
}

std::unique_ptr<HttpResponse> Guard::check(const HttpRequest& request) const {
  const auto refuse = [](int status, const std::string& message) {
    return std::make_unique<HttpResponse>(error_response(status, message));
  };
  const std::string host = request.header("Host");
  if (!knows_host(host)) {
    return refuse(403, "the server does not answer to the name '" + host +
                           "'; start it with --allow-host to let that name through");
  }
  if (!allows_origin(request)) {
    return refuse(403, "pages from " + request.header("Origin") +
                           " may not call this server; start it with --cors to let them");
  }
  if (!options_.key.empty() && !needs_no_key(request) && !has_key(request)) {
    auto response = refuse(401, "an API key is needed: Authorization: Bearer KEY");
    response->headers.emplace_back("WWW-Authenticate", "Bearer");
    return response;
  }
  return nullptr;
}

std::vector<std::pair<std::string, std::string>> Guard::cross_origin_headers(
    const HttpRequest& request) const {
  const std::string origin = request.header("Origin");
  if (std::find(options_.origins.begin(), options_.origins.end(), origin) ==
      options_.origins.end()) {
    return {};
  }
  return {{"Access-Control-Allow-Origin", origin},
          {"Vary", "Origin"},
          {"Access-Control-Allow-Methods", "GET, POST, OPTIONS"},
          {"Access-Control-Allow-Headers", "Authorization, Content-Type, X-API-Key"},
          {"Access-Control-Max-Age", "600"}};
}

}  // namespace lore::cli::serve
