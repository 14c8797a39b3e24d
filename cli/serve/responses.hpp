// Answers in JSON, and errors in the shape that OpenAI's clients know.
#pragma once

#include <exception>
#include <string>

#include "cli/json_fields.hpp"
#include "cli/serve/http_server.hpp"
#include "lore/error.hpp"

namespace lore::cli::serve {

HttpResponse json_response(const Json& value, int status = 200);

/// {"error":{"message":…,"type":…,"param":…,"code":…}}; `param` and `code`: null where empty.
std::string error_body(int status, const std::string& message, const std::string& param = {},
                       const std::string& code = {});
HttpResponse error_response(int status, const std::string& message, const std::string& param = {},
                            const std::string& code = {});
/// What a handler has thrown.
HttpResponse error_response(const std::exception& error);

}  // namespace lore::cli::serve
