// The web page: files of the program itself, and nothing from elsewhere.
#include <array>
#include <string_view>

#include "cli/serve/api.hpp"
#include "cli/serve/responses.hpp"
#include "cli/serve/web_files.hpp"

namespace lore::cli::serve {
namespace {

/// Nothing is loaded from elsewhere, nothing in a text can act, no other page can frame this one.
constexpr std::string_view kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

std::string type_of(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kTypes = {{
      {".html", "text/html; charset=utf-8"},
      {".css", "text/css; charset=utf-8"},
      {".js", "text/javascript; charset=utf-8"},
      {".svg", "image/svg+xml"},
  }};
  for (const auto& [ending, type] : kTypes) {
    if (name.ends_with(ending)) return std::string(type);
  }
  return "application/octet-stream";
}

}  // namespace

HttpResponse web_file(const std::string& name) {
  const std::string_view bytes = embedded_file(name);
  if (bytes.empty()) return error_response(404, "the page has no file " + name);
  return {.content_type = type_of(name),
          .body = std::string(bytes),
          .headers = {{"Content-Security-Policy", std::string(kPolicy)},
                      {"Referrer-Policy", "no-referrer"},
                      {"Cache-Control", "no-cache"}}};
}

}  // namespace lore::cli::serve
