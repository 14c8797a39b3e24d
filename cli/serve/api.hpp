// The handlers, by path. Each answers one request over a Service; what it throws becomes an error
// in OpenAI's shape.
#pragma once

#include "cli/json_fields.hpp"
#include "cli/serve/http_server.hpp"
#include "cli/serve/service.hpp"

namespace lore::cli::serve {

// embeddings_api.cpp
HttpResponse embeddings(Service& service, const HttpRequest& request);

// completions_api.cpp
HttpResponse chat_completions(Service& service, const HttpRequest& request);
HttpResponse completions(Service& service, const HttpRequest& request);

// grounded_api.cpp: answers from the index
HttpResponse ask(Service& service, const HttpRequest& request);
/// A chat whose request, `fields`, holds "lore": {…}.
HttpResponse grounded_chat(Service& service, const HttpRequest& request, const Fields& fields);

// documents_api.cpp
HttpResponse search(Service& service, const HttpRequest& request);
HttpResponse documents(Service& service, const HttpRequest& request);
/// The body is a file; its name stands in the query.
HttpResponse upload(Service& service, const HttpRequest& request);
/// `name`: as stored.
HttpResponse document(Service& service, const HttpRequest& request, const std::string& name);
HttpResponse document_file(Service& service, const HttpRequest& request, const std::string& name);

// web_api.cpp
HttpResponse web_file(const std::string& name);

// service_api.cpp
HttpResponse models(Service& service, const HttpRequest& request);
HttpResponse tokenize(Service& service, const HttpRequest& request);
HttpResponse detokenize(Service& service, const HttpRequest& request);
HttpResponse health(Service& service, const HttpRequest& request);
HttpResponse metrics(Service& service, const HttpRequest& request);

}  // namespace lore::cli::serve
