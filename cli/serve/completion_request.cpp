#include "cli/serve/completion_request.hpp"

#include <limits>
#include <random>

namespace lore::cli::serve {
namespace {

constexpr std::size_t kMostStops = 16;

std::string content_of(const Fields& fields, const Json& message) {
  const auto content = message.find("content");
  if (content == message.end() || content->is_null()) return {};
  if (content->is_string()) return content->get<std::string>();
  std::string text;
  if (!content->is_array()) fields.refuse("messages", "must have contents of text");
  for (const Json& part : *content) {
    const bool is_text = part.is_object() && part.value("type", "") == "text" &&
                         part.contains("text") && part["text"].is_string();
    if (!is_text) fields.refuse("messages", "may hold text only: this model sees no images");
    text += part["text"].get<std::string>();
  }
  return text;
}

/// What would change the answer and cannot be done must not be passed over in silence.
void refuse_what_is_missing(const Fields& fields) {
  for (const char* name : {"tools", "functions", "logit_bias", "audio"}) {
    const Json* value = fields.find(name);
    if (value != nullptr && !value->empty()) fields.refuse(name, "is not supported");
  }
  if (fields.count("n", 1, std::numeric_limits<std::size_t>::max()).value_or(1) != 1) {
    fields.refuse("n", "must be 1: send the request again for another answer");
  }
  if (const auto format = fields.object("response_format")) {
    if (format->text("type").value_or("text") != "text") {
      fields.refuse("response_format", "may be {\"type\":\"text\"} only, so far");
    }
  }
}

}  // namespace

GenerateRequest completion_request(const Fields& fields, std::size_t context) {
  refuse_what_is_missing(fields);
  GenerateRequest request;
  const auto most = fields.count("max_completion_tokens", 1, context);
  request.max_tokens = most ? *most
                            : fields.count("max_tokens", 1, std::numeric_limits<std::size_t>::max())
                                  .value_or(context);
  request.stop = fields.texts("stop");
  if (request.stop.size() > kMostStops) fields.refuse("stop", "has more than 16 texts");
  request.ignore_end = fields.flag("ignore_eos").value_or(false);

  Sampling& sampling = request.sampling;
  sampling.temperature = static_cast<float>(fields.number("temperature", 0, 2).value_or(0));
  sampling.top_p = static_cast<float>(fields.number("top_p", 0, 1).value_or(1));
  sampling.min_p = static_cast<float>(fields.number("min_p", 0, 1).value_or(0));
  sampling.top_k = static_cast<std::int32_t>(fields.count("top_k", 0, 1000000).value_or(0));
  sampling.frequency_penalty =
      static_cast<float>(fields.number("frequency_penalty", -2, 2).value_or(0));
  sampling.presence_penalty =
      static_cast<float>(fields.number("presence_penalty", -2, 2).value_or(0));
  sampling.repeat_penalty =
      static_cast<float>(fields.number("repeat_penalty", 0.1, 10).value_or(1));
  const auto seed = fields.number("seed", -9e18, 9e18);
  sampling.seed = seed ? static_cast<std::uint64_t>(fields.find("seed")->get<std::int64_t>())
                       : std::random_device()();
  return request;
}

std::vector<ChatMessage> messages_of(const Fields& fields) {
  const Json* list = fields.find("messages");
  if (list == nullptr || !list->is_array() || list->empty()) {
    fields.refuse("messages", "must be a list with at least one message");
  }
  std::vector<ChatMessage> messages;
  for (const Json& message : *list) {
    if (!message.is_object()) fields.refuse("messages", "must hold objects");
    const auto role_field = message.find("role");
    if (role_field == message.end() || !role_field->is_string()) {
      fields.refuse("messages", "must each have a role");
    }
    std::string role = role_field->get<std::string>();
    if (role == "developer") role = "system";
    if (role != "system" && role != "user" && role != "assistant") {
      fields.refuse("messages", "may have the roles system, user and assistant");
    }
    messages.push_back({std::move(role), content_of(fields, message)});
  }
  return messages;
}

Streaming streaming_of(const Fields& fields) {
  Streaming streaming;
  streaming.on = fields.flag("stream").value_or(false);
  if (const auto options = fields.object("stream_options")) {
    streaming.usage = options->flag("include_usage").value_or(false);
  }
  return streaming;
}

}  // namespace lore::cli::serve
