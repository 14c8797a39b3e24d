// POST /v1/chat/completions and /v1/completions, as OpenAI documents them.
#include <utility>

#include "cli/json_fields.hpp"
#include "cli/serve/api.hpp"
#include "cli/serve/completion_format.hpp"
#include "cli/serve/completion_request.hpp"
#include "cli/serve/event_stream.hpp"
#include "cli/serve/responses.hpp"
#include "lore/error.hpp"
#include "lore/json.hpp"

namespace lore::cli::serve {
namespace {

/// Tokens with their log-probabilities, as each kind of completion shows them.
class Logprobs {
 public:
  Logprobs(CompletionKind kind, const TextGenerator& generator)
      : kind_(kind), generator_(generator) {}

  Json of(const std::vector<TokenRecord>& tokens) const {
    return kind_ == CompletionKind::chat ? of_chat(tokens) : of_text(tokens);
  }

 private:
  Json entry(std::int32_t id, float logprob) const {
    const std::string bytes = generator_.piece(id);
    Json numbers = Json::array();
    for (const char c : bytes) numbers.push_back(static_cast<unsigned char>(c));
    return {{"token", bytes}, {"logprob", json_number(logprob)}, {"bytes", std::move(numbers)}};
  }

  Json of_chat(const std::vector<TokenRecord>& tokens) const {
    Json content = Json::array();
    for (const TokenRecord& token : tokens) {
      Json one = entry(token.id, token.logprob);
      one["top_logprobs"] = Json::array();
      for (const TokenAlternative& other : token.top) {
        one["top_logprobs"].push_back(entry(other.id, other.logprob));
      }
      content.push_back(std::move(one));
    }
    return {{"content", std::move(content)}};
  }

  Json of_text(const std::vector<TokenRecord>& tokens) const {
    Json pieces = Json::array();
    Json values = Json::array();
    Json top = Json::array();
    for (const TokenRecord& token : tokens) {
      pieces.push_back(generator_.piece(token.id));
      values.push_back(json_number(token.logprob));
      Json others = Json::object();
      for (const TokenAlternative& other : token.top) {
        others[generator_.piece(other.id)] = json_number(other.logprob);
      }
      top.push_back(std::move(others));
    }
    return {{"tokens", std::move(pieces)},
            {"token_logprobs", std::move(values)},
            {"top_logprobs", std::move(top)}};
  }

  CompletionKind kind_;
  const TextGenerator& generator_;
};

std::string_view finish_of(const GeneratedText& generated) {
  return generated.finish == "length" ? "length" : "stop";
}

Json usage_of(const GeneratedText& generated) {
  Json usage = CompletionFormat::usage(generated.prompt_ids.size(), generated.tokens.size());
  usage["prompt_tokens_details"] = {{"cached_tokens", generated.reused_tokens}};
  return usage;
}

GeneratedText generate(Service& service, TextGenerator& generator, const GenerateRequest& request) {
  GeneratedText generated = generator.generate(request);
  service.metrics().count_tokens(generated.prompt_ids.size(), generated.reused_tokens,
                                 generated.tokens.size());
  if (generated.finish == "cancelled") {
    throw Error(ErrorCode::interrupted,
                "the answer was cut off after " + std::to_string(generated.tokens.size()) +
                    " tokens: the request's time was over, or the server is stopping");
  }
  return generated;
}

HttpResponse run(Service& service, const Fields& fields, const HttpRequest& http,
                 GenerateRequest request, CompletionKind kind) {
  TextGenerator& generator = service.generator();
  const CompletionFormat format(kind, service.generator_model().id);
  const Streaming streaming = streaming_of(fields);
  const auto logprobs_of = [wanted = request.report_logprobs, logprobs = Logprobs(kind, generator)](
                               const std::vector<TokenRecord>& tokens) -> Json {
    if (wanted) return logprobs.of(tokens);
    return nullptr;
  };
  request.cancelled = service.cancelled(http);
  if (!streaming.on) {
    const GeneratedText generated = generate(service, generator, request);
    return json_response(format.whole(generated.text, logprobs_of(generated.tokens),
                                      finish_of(generated), usage_of(generated)));
  }
  return event_stream(
      [=, &service, &generator, request = std::move(request)](const SendEvent& send) mutable {
        std::vector<TokenRecord> tokens;  // of the next piece
        bool begun = false;
        const auto begin = [&] {
          if (!begun && format.is_chat()) send(format.first());
          begun = true;
        };
        request.on_token = [&](const TokenRecord& token) {
          begin();
          tokens.push_back(token);
        };
        request.on_text = [&](std::string_view text) {
          return send(format.piece(text, logprobs_of(std::exchange(tokens, {}))));
        };
        const GeneratedText generated = generate(service, generator, request);
        begin();
        send(format.last(finish_of(generated)));
        if (streaming.usage) send(format.usage_event(usage_of(generated)));
      });
}

}  // namespace

HttpResponse chat_completions(Service& service, const HttpRequest& request) {
  const Fields fields = Fields::parse(request.body);
  if (fields.has("lore")) return grounded_chat(service, request, fields);
  TextGenerator& generator = service.generator(fields.text("model"));
  GenerateRequest chat = completion_request(fields, generator.context());
  chat.messages = messages_of(fields);
  chat.report_logprobs = fields.flag("logprobs").value_or(false);
  chat.logprobs = fields.count("top_logprobs", 0, 20).value_or(0);
  if (chat.logprobs > 0 && !chat.report_logprobs) {
    fields.refuse("top_logprobs", "needs \"logprobs\": true");
  }
  return run(service, fields, request, std::move(chat), CompletionKind::chat);
}

HttpResponse completions(Service& service, const HttpRequest& request) {
  const Fields fields = Fields::parse(request.body);
  TextGenerator& generator = service.generator(fields.text("model"));
  GenerateRequest text = completion_request(fields, generator.context());
  const Json* prompt = fields.find("prompt");
  if (prompt == nullptr) fields.refuse("prompt", "is missing");
  if (auto ids = token_ids(*prompt)) {
    text.ids = std::move(*ids);
  } else if (prompt->is_string()) {
    text.prompt = prompt->get<std::string>();
  } else {
    fields.refuse("prompt", "must be a string or a list of token ids");
  }
  if (const auto count = fields.count("logprobs", 0, 20)) {
    text.report_logprobs = true;
    text.logprobs = *count;
  }
  if (!fields.has("max_tokens")) text.max_tokens = 16;  // as OpenAI has it
  return run(service, fields, request, std::move(text), CompletionKind::text);
}

}  // namespace lore::cli::serve
