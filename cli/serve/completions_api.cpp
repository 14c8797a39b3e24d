// POST /v1/chat/completions and /v1/completions, as OpenAI documents them.
#include <chrono>
#include <functional>
#include <utility>

#include "cli/json_fields.hpp"
#include "cli/serve/api.hpp"
#include "cli/serve/completion_request.hpp"
#include "cli/serve/event_stream.hpp"
#include "cli/serve/ids.hpp"
#include "cli/serve/responses.hpp"
#include "lore/error.hpp"
#include "lore/json.hpp"

namespace lore::cli::serve {
namespace {

/// How a kind of completion writes what was generated.
class Format {
 public:
  Format(bool chat, const TextGenerator& generator, std::string model)
      : chat_(chat),
        generator_(generator),
        model_(std::move(model)),
        id_(random_id(chat ? "chatcmpl-" : "cmpl-")),
        created_(seconds_since_epoch()) {}

  Json whole(const GeneratedText& generated, bool logprobs) const {
    Json choice = {{"index", 0}};
    if (chat_) {
      choice["message"] = {{"role", "assistant"}, {"content", generated.text}};
    } else {
      choice["text"] = generated.text;
    }
    choice["logprobs"] = logprobs ? logprobs_of(generated.tokens) : Json(nullptr);
    choice["finish_reason"] = finish_of(generated);
    Json object = head(chat_ ? "chat.completion" : "text_completion");
    object["choices"] = Json::array({std::move(choice)});
    object["usage"] = usage_of(generated);
    return object;
  }

  /// The first event of a chat tells who speaks.
  Json first() const { return part({{"role", "assistant"}, {"content", ""}}, nullptr, nullptr); }
  Json piece(std::string_view text, const std::vector<TokenRecord>& tokens, bool logprobs) const {
    return part({{"content", text}}, logprobs ? logprobs_of(tokens) : Json(nullptr), nullptr);
  }
  Json last(const GeneratedText& generated) const {
    return part(Json::object(), nullptr, finish_of(generated));
  }
  Json usage(const GeneratedText& generated) const {
    Json object = head(chat_ ? "chat.completion.chunk" : "text_completion");
    object["choices"] = Json::array();
    object["usage"] = usage_of(generated);
    return object;
  }
  bool chat() const { return chat_; }

 private:
  Json head(const char* object) const {
    return {{"id", id_}, {"object", object}, {"created", created_}, {"model", model_}};
  }

  Json part(const Json& delta, Json logprobs, Json finish) const {
    Json choice = {{"index", 0}};
    if (chat_) {
      choice["delta"] = delta;
    } else {
      choice["text"] = delta.value("content", "");
    }
    choice["logprobs"] = std::move(logprobs);
    choice["finish_reason"] = std::move(finish);
    Json object = head(chat_ ? "chat.completion.chunk" : "text_completion");
    object["choices"] = Json::array({std::move(choice)});
    return object;
  }

  static std::string finish_of(const GeneratedText& generated) {
    return generated.finish == "length" ? "length" : "stop";
  }

  static Json usage_of(const GeneratedText& generated) {
    const std::size_t prompt = generated.prompt_ids.size();
    const std::size_t written = generated.tokens.size();
    return {{"prompt_tokens", prompt},
            {"completion_tokens", written},
            {"total_tokens", prompt + written},
            {"prompt_tokens_details", {{"cached_tokens", generated.reused_tokens}}}};
  }

  Json entry(std::int32_t id, float logprob) const {
    const std::string bytes = generator_.piece(id);
    Json numbers = Json::array();
    for (const char c : bytes) numbers.push_back(static_cast<unsigned char>(c));
    return {{"token", bytes}, {"logprob", json_number(logprob)}, {"bytes", std::move(numbers)}};
  }

  Json logprobs_of(const std::vector<TokenRecord>& tokens) const {
    return chat_ ? chat_logprobs(tokens) : text_logprobs(tokens);
  }

  Json chat_logprobs(const std::vector<TokenRecord>& tokens) const {
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

  Json text_logprobs(const std::vector<TokenRecord>& tokens) const {
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

  bool chat_;
  const TextGenerator& generator_;
  std::string model_;
  std::string id_;
  std::int64_t created_;
};

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
                 GenerateRequest request, bool chat) {
  TextGenerator& generator = service.generator();
  const Format format(chat, generator, service.generator_model().id);
  const Streaming streaming = streaming_of(fields);
  const bool logprobs = request.report_logprobs;
  request.cancelled = service.cancelled(http);
  if (!streaming.on)
    return json_response(format.whole(generate(service, generator, request), logprobs));
  return event_stream(
      [=, &service, &generator, request = std::move(request)](const SendEvent& send) mutable {
        std::vector<TokenRecord> tokens;  // of the next piece
        bool begun = false;
        const auto begin = [&] {
          if (begun) return;
          begun = true;
          if (format.chat()) send(format.first());
        };
        request.on_token = [&](const TokenRecord& token) {
          begin();
          if (logprobs) tokens.push_back(token);
        };
        request.on_text = [&](std::string_view text) {
          return send(format.piece(text, std::exchange(tokens, {}), logprobs));
        };
        const GeneratedText generated = generate(service, generator, request);
        begin();
        send(format.last(generated));
        if (streaming.usage) send(format.usage(generated));
      });
}

}  // namespace

HttpResponse chat_completions(Service& service, const HttpRequest& request) {
  const Fields fields = Fields::parse(request.body);
  if (fields.has("lore")) return grounded_chat(service, request);
  TextGenerator& generator = service.generator(fields.text("model"));
  GenerateRequest chat = completion_request(fields, generator.context());
  chat.messages = messages_of(fields);
  chat.report_logprobs = fields.flag("logprobs").value_or(false);
  chat.logprobs = fields.count("top_logprobs", 0, 20).value_or(0);
  if (chat.logprobs > 0 && !chat.report_logprobs) {
    fields.refuse("top_logprobs", "needs \"logprobs\": true");
  }
  return run(service, fields, request, std::move(chat), true);
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
  return run(service, fields, request, std::move(text), false);
}

}  // namespace lore::cli::serve
