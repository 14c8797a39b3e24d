#include "cli/serve/completion_format.hpp"

#include <chrono>
#include <random>
#include <utility>

namespace lore::cli::serve {
namespace {

/// `prefix` and 24 random characters.
std::string random_id(std::string_view prefix) {
  constexpr std::string_view kDigits = "0123456789abcdefghijklmnopqrstuvwxyz";
  std::random_device random;
  std::string id(prefix);
  for (int i = 0; i < 24; ++i) id += kDigits[random() % kDigits.size()];
  return id;
}

std::int64_t seconds_since_epoch() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace

CompletionFormat::CompletionFormat(CompletionKind kind, std::string model)
    : kind_(kind),
      model_(std::move(model)),
      id_(random_id(kind == CompletionKind::chat ? "chatcmpl-" : "cmpl-")),
      created_(seconds_since_epoch()) {}

Json CompletionFormat::object(std::string_view name, Json choices) const {
  return {{"id", id_},
          {"object", name},
          {"created", created_},
          {"model", model_},
          {"choices", std::move(choices)}};
}

std::string_view CompletionFormat::event_name() const {
  return is_chat() ? "chat.completion.chunk" : "text_completion";
}

Json CompletionFormat::whole(std::string_view text, Json logprobs, std::string_view finish,
                             Json usage) const {
  Json choice = {{"index", 0}};
  if (is_chat()) {
    choice["message"] = {{"role", "assistant"}, {"content", text}};
  } else {
    choice["text"] = text;
  }
  choice["logprobs"] = std::move(logprobs);
  choice["finish_reason"] = finish;
  Json answer =
      object(is_chat() ? "chat.completion" : "text_completion", Json::array({std::move(choice)}));
  answer["usage"] = std::move(usage);
  return answer;
}

Json CompletionFormat::event(Json delta, Json logprobs, Json finish) const {
  Json choice = {{"index", 0}};
  if (is_chat()) {
    choice["delta"] = std::move(delta);
  } else {
    choice["text"] = delta.value("content", "");
  }
  choice["logprobs"] = std::move(logprobs);
  choice["finish_reason"] = std::move(finish);
  return object(event_name(), Json::array({std::move(choice)}));
}

Json CompletionFormat::first() const {
  return event({{"role", "assistant"}, {"content", ""}}, nullptr, nullptr);
}

Json CompletionFormat::piece(std::string_view text, Json logprobs) const {
  return event({{"content", text}}, std::move(logprobs), nullptr);
}

Json CompletionFormat::last(std::string_view finish) const {
  return event(Json::object(), nullptr, finish);
}

Json CompletionFormat::usage_event(Json usage) const {
  Json answer = object(event_name(), Json::array());
  answer["usage"] = std::move(usage);
  return answer;
}

Json CompletionFormat::usage(std::size_t prompt_tokens, std::size_t written_tokens) {
  return {{"prompt_tokens", prompt_tokens},
          {"completion_tokens", written_tokens},
          {"total_tokens", prompt_tokens + written_tokens}};
}

}  // namespace lore::cli::serve
