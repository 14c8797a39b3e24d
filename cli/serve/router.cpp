#include "cli/serve/router.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "cli/serve/api.hpp"
#include "cli/serve/responses.hpp"

namespace lore::cli::serve {
namespace {

using Handler = HttpResponse (*)(Service&, const HttpRequest&);

struct Route {
  std::string_view path;
  std::string_view methods;
  Handler handler;
  bool computes;  ///< takes a place among those who are computed or wait
};

constexpr std::array kRoutes = {
    Route{"/v1/embeddings", "POST", embeddings, true},
    Route{"/v1/chat/completions", "POST", chat_completions, true},
    Route{"/v1/completions", "POST", completions, true},
    Route{"/v1/models", "GET", models, false},
    Route{"/ask", "POST", ask, true},
    Route{"/search", "GET POST", search, true},
    Route{"/documents", "GET", documents, false},
    Route{"/documents", "POST", upload, true},
    Route{"/tokenize", "POST", tokenize, false},
    Route{"/detokenize", "POST", detokenize, false},
    Route{"/health", "GET", health, false},
    Route{"/metrics", "GET", metrics, false},
};

constexpr std::string_view kDocument = "/documents/";
constexpr std::string_view kFile = "/file";
constexpr std::string_view kWeb = "/web/";

bool allows(std::string_view methods, std::string_view method) {
  return methods.find(method == "HEAD" ? "GET" : method) != std::string_view::npos;
}

HttpResponse wrong_method(std::string_view methods) {
  HttpResponse response =
      error_response(405, "this path takes " + std::string(methods), {}, "method_not_allowed");
  response.headers.emplace_back("Allow", methods);
  return response;
}

/// How a path is counted: documents have one name for all.
std::string route_name(std::string_view path) {
  const bool known = std::any_of(kRoutes.begin(), kRoutes.end(),
                                 [&](const Route& route) { return route.path == path; });
  if (known) return std::string(path);
  if (path == "/" || path.starts_with(kWeb)) return "/";
  return path.starts_with(kDocument) ? "/documents/…" : "other";
}

std::string refusal(int status) {
  switch (status) {
    case 404:
      return error_body(404, "there is nothing at this path");
    case 413:
      return error_body(413, "the body is larger than this server takes (--max-body)");
    case 414:
      return error_body(414, "the address is too long");
    case 416:
      return error_body(416, "the file has no such range");
    default:
      return error_body(status, status < 500 ? "this is no HTTP request that can be answered"
                                             : "the server failed");
  }
}

}  // namespace

HttpHandlers Router::handlers(std::function<void(const std::string&)> log) {
  return {.before_body = [this](const HttpRequest& request) { return guard_.check(request); },
          .answer = [this](const HttpRequest& request) { return answer(request); },
          .refusal = refusal,
          .log =
              [log = std::move(log)](const HttpRequest& request, int status) {
                log(request.peer + " " + request.method + " " + request.path + " " +
                    std::to_string(status));
              }};
}

HttpResponse Router::answer(const HttpRequest& request) {
  const auto start = std::chrono::steady_clock::now();
  HttpResponse response;
  try {
    response = route(request);
  } catch (const std::exception& error) {
    response = error_response(error);
  }
  for (auto& header : guard_.cross_origin_headers(request)) {
    response.headers.push_back(std::move(header));
  }
  response.headers.emplace_back("X-Content-Type-Options", "nosniff");
  const auto count = [this, start, name = route_name(request.path), status = response.status] {
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    service_.metrics().count_request(name, status, taken.count());
  };
  if (!response.stream) {
    count();
    return response;
  }
  response.stream = [stream = std::move(response.stream), count](const HttpSink& sink) {
    stream(sink);
    count();
  };
  return response;
}

HttpResponse Router::route(const HttpRequest& request) {
  if (request.method == "OPTIONS") return {.status = 204};
  std::string methods;  // that the path takes
  for (const Route& route : kRoutes) {
    if (route.path != request.path) continue;
    if (!allows(route.methods, request.method)) {
      methods += (methods.empty() ? "" : " ") + std::string(route.methods);
      continue;
    }
    if (!route.computes) return route.handler(service_, request);
    // Kept until a streamed answer is sent.
    auto place = service_.enter();
    if (!place) {
      HttpResponse busy = error_response(
          429, "too many requests are waiting already; try again in a moment", {}, "queue_full");
      busy.headers.emplace_back("Retry-After", "2");
      return busy;
    }
    HttpResponse response = route.handler(service_, request);
    if (response.stream) {
      response.stream = [stream = std::move(response.stream),
                         place = std::make_shared<Service::Place>(std::move(*place))](
                            const HttpSink& sink) { stream(sink); };
    }
    return response;
  }
  if (!methods.empty()) return wrong_method(methods);
  const bool is_page = request.path == "/" || request.path.starts_with(kWeb);
  if (is_page) {
    if (!allows("GET", request.method)) return wrong_method("GET");
    return web_file(request.path == "/" ? "index.html" : request.path.substr(kWeb.size()));
  }
  if (request.path.starts_with(kDocument)) {
    if (!allows("GET", request.method)) return wrong_method("GET");
    std::string name = request.path.substr(kDocument.size());
    if (!name.ends_with(kFile)) return document(service_, request, name);
    name.resize(name.size() - kFile.size());
    return document_file(service_, request, name);
  }
  return error_response(404, "there is nothing at " + request.path);
}

}  // namespace lore::cli::serve
