// /search, /documents and the files themselves.
#include <charconv>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "cli/json_fields.hpp"
#include "cli/serve/api.hpp"
#include "cli/stored_page.hpp"
#include "lore/error.hpp"
#include "lore/json.hpp"

namespace lore::cli::serve {
namespace {

constexpr std::size_t kMostHits = 1000;

/// Empty where the text is no whole number.
std::optional<std::size_t> number_of(std::string_view text) {
  std::size_t number = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = result.ec == std::errc() && result.ptr == text.data() + text.size();
  return whole ? std::optional(number) : std::nullopt;
}

/// The fields of a GET stand in its query; all are strings there.
Fields fields_of(const HttpRequest& request) {
  if (request.method == "POST") return Fields::parse(request.body);
  Json object = Json::object();
  for (const auto& [name, value] : request.query) {
    const auto number = name == "k" ? number_of(value) : std::nullopt;
    object[name == "q" ? "query" : name] = number ? Json(*number) : Json(value);
  }
  return Fields(std::move(object));
}

}  // namespace

HttpResponse search(Service& service, const HttpRequest& request) {
  const Fields fields = fields_of(request);
  const auto query = fields.text("query");
  if (!query) fields.refuse("query", "is missing");
  SearchOptions options;
  options.k = fields.count("k", 1, kMostHits).value_or(options.k);
  const auto mode = search_kind(fields.text("mode").value_or("hybrid"));
  if (!mode) fields.refuse("mode", "must be hybrid, vector or text");
  options.mode = *mode;
  options.filter = fields.text("filter").value_or("");
  IndexPool::Lease index = service.index();
  const SearchResponse found = index->search(*query, options);
  return {.body = R"({"results":)" + to_json(found.passages) + "}"};
}

HttpResponse documents(Service& service, const HttpRequest&) {
  IndexPool::Lease index = service.index();
  return {.body = to_json(index->status())};
}

HttpResponse upload(Service& service, const HttpRequest& request) {
  const IndexReport report = service.add_document(request.parameter("name"), request.body);
  return {.status = 201, .body = to_json(report)};
}

HttpResponse document(Service& service, const HttpRequest& request, const std::string& name) {
  StoredDocument stored = service.index()->document(name);
  const std::string page = request.parameter("page");
  if (page.empty()) return {.body = to_json(stored)};
  const auto number = number_of(page);
  if (!number) {
    throw Error(ErrorCode::invalid_argument, "'page' must be a number from 1", "page");
  }
  keep_page(stored, *number);
  return {.body = to_json(stored)};
}

HttpResponse document_file(Service& service, const HttpRequest&, const std::string& name) {
  const StoredDocument stored = service.index()->document(name);
  std::error_code error;
  if (!std::filesystem::is_regular_file(stored.path, error)) {
    throw Error(ErrorCode::not_found,
                stored.document + " is not there any more; its text still is, at /documents/…",
                "name");
  }
  // A browser may show a PDF by itself. Anything else could be markup that acts in this server's
  // name, and is text.
  const bool is_pdf = stored.format == "pdf";
  return {.content_type = is_pdf ? "application/pdf" : "text/plain; charset=utf-8",
          .headers = {{"Content-Security-Policy", "sandbox"}},
          .file = stored.path};
}

}  // namespace lore::cli::serve
