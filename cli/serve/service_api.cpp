// What the server has and how it is.
#include <utility>

#include "cli/json_fields.hpp"
#include "cli/serve/api.hpp"
#include "cli/serve/responses.hpp"
#include "lore/error.hpp"

namespace lore::cli::serve {
namespace {

/// The model of a tokenizer: as asked for, else the one that writes, else the one that embeds.
std::string tokenizer_model(Service& service, const Fields& fields) {
  const auto asked = fields.text("model");
  const Service::ModelName& generator = service.generator_model();
  const Service::ModelName& embedder = service.embed_model();
  if (asked ? *asked == generator.id : !generator.id.empty()) return generator.source;
  service.embedder(asked);  // says what is missing, or which there are
  return embedder.source;
}

}  // namespace

HttpResponse models(Service& service, const HttpRequest&) {
  Json list = Json::array();
  for (const auto& name : {service.generator_model(), service.embed_model()}) {
    if (name.id.empty()) continue;
    const ModelDescription model = service.library().describe_model(name.source, false);
    list.push_back({{"id", name.id},
                    {"object", "model"},
                    {"created", 0},
                    {"owned_by", "lore"},
                    {"architecture", model.architecture},
                    {"quantization", model.quantization},
                    {"context", model.context},
                    {"embeds", name.source == service.embed_model().source},
                    {"generates", name.source == service.generator_model().source},
                    {"dimension", model.hidden_size}});
  }
  return json_response({{"object", "list"}, {"data", std::move(list)}});
}

HttpResponse tokenize(Service& service, const HttpRequest& request) {
  const Fields fields = Fields::parse(request.body);
  const auto content = fields.text("content");
  if (!content) fields.refuse("content", "is missing");
  const std::string& text = *content;
  const auto tokens =
      service.library().tokenize(tokenizer_model(service, fields), {&text, 1},
                                 {.add_special = fields.flag("add_special").value_or(false),
                                  .parse_special = fields.flag("parse_special").value_or(true)});
  if (!fields.flag("with_pieces").value_or(false)) {
    return json_response({{"tokens", tokens.front().ids}});
  }
  Json list = Json::array();
  for (std::size_t i = 0; i < tokens.front().ids.size(); ++i) {
    list.push_back({{"id", tokens.front().ids[i]}, {"piece", tokens.front().pieces[i]}});
  }
  return json_response({{"tokens", std::move(list)}});
}

HttpResponse detokenize(Service& service, const HttpRequest& request) {
  const Fields fields = Fields::parse(request.body);
  const Json* tokens = fields.find("tokens");
  const auto ids = tokens == nullptr ? std::nullopt : token_ids(*tokens);
  if (!ids) fields.refuse("tokens", "must be a list of token ids that is not empty");
  return json_response(
      {{"content", service.library().detokenize(tokenizer_model(service, fields), *ids)}});
}

HttpResponse health(Service& service, const HttpRequest&) {
  return json_response({{"status", "ok"},
                        {"version", version()},
                        {"running", service.running()},
                        {"index", !service.options().index.empty()},
                        {"upload", service.options().allow_upload}});
}

HttpResponse metrics(Service& service, const HttpRequest&) {
  return {.content_type = "text/plain; version=0.0.4; charset=utf-8",
          .body = service.metrics().text(service.running())};
}

}  // namespace lore::cli::serve
