#include "cli/serve/responses.hpp"

#include <algorithm>
#include <new>

namespace lore::cli::serve {
namespace {

std::string type_of(int status) {
  switch (status) {
    case 401:
      return "authentication_error";
    case 403:
      return "permission_error";
    case 404:
      return "not_found_error";
    case 429:
      return "rate_limit_error";
    default:
      return status < 500 ? "invalid_request_error" : "server_error";
  }
}

int status_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_argument:
    case ErrorCode::limit_exceeded:
      return 400;
    case ErrorCode::not_found:
      return 404;
    case ErrorCode::read_only:
      return 403;
    case ErrorCode::no_space:
      return 507;
    case ErrorCode::busy:
    case ErrorCode::interrupted:
      return 503;
    case ErrorCode::unsupported:
      return 501;
    default:
      return 500;
  }
}

/// "--input-type" → "input_type": what a flag is called in a request.
std::string field_of(std::string name) {
  if (!name.starts_with("--")) return name;
  name.erase(0, 2);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

}  // namespace

HttpResponse json_response(const Json& value, int status) {
  return {.status = status, .body = dump(value)};
}

std::string error_body(int status, const std::string& message, const std::string& param,
                       const std::string& code) {
  const auto or_null = [](const std::string& text) {
    return text.empty() ? Json(nullptr) : Json(text);
  };
  return dump({{"error",
                {{"message", message},
                 {"type", type_of(status)},
                 {"param", or_null(param)},
                 {"code", or_null(code)}}}});
}

HttpResponse error_response(int status, const std::string& message, const std::string& param,
                            const std::string& code) {
  return {.status = status, .body = error_body(status, message, param, code)};
}

HttpResponse error_response(const std::exception& error) {
  if (const auto* own = dynamic_cast<const Error*>(&error)) {
    const std::string code = own->code() == ErrorCode::limit_exceeded ? "context_length_exceeded"
                             : own->code() == ErrorCode::not_found    ? "not_found"
                                                                      : "";
    return error_response(status_of(own->code()), own->what(), field_of(own->context()), code);
  }
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) {
    return error_response(503, "there is not enough memory for this request at the moment");
  }
  return error_response(500, error.what());
}

}  // namespace lore::cli::serve
