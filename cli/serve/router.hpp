// From a request to its handler and back: who may ask, which handler answers, what becomes of
// errors.
#pragma once

#include <string>

#include "cli/serve/guard.hpp"
#include "cli/serve/http_server.hpp"
#include "cli/serve/service.hpp"

namespace lore::cli::serve {

/// Thread safety: any thread.
class Router {
 public:
  Router(Service& service, GuardOptions guard) : service_(service), guard_(std::move(guard)) {}

  /// What an HttpServer calls. The router must outlive it.
  HttpHandlers handlers(std::function<void(const std::string& line)> log);

 private:
  HttpResponse answer(const HttpRequest& request);
  HttpResponse route(const HttpRequest& request);

  Service& service_;
  Guard guard_;
};

}  // namespace lore::cli::serve
