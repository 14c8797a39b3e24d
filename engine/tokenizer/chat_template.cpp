#include "engine/tokenizer/chat_template.hpp"

#include <ctime>
#include <utility>

#include "engine/tokenizer/jinja/interpreter.hpp"
#include "engine/tokenizer/jinja/parser.hpp"
#include "lore/error.hpp"

namespace lore::engine {
namespace {

std::tm local_time() {
  const std::time_t now = std::time(nullptr);
  std::tm result{};
  ::localtime_r(&now, &result);
  return result;
}

jinja::Value to_value(const std::vector<ChatMessage>& messages) {
  std::vector<jinja::Value> list;
  for (const ChatMessage& message : messages) {
    auto dict = std::make_shared<jinja::Dict>();
    dict->set("role", message.role);
    dict->set("content", message.content);
    list.emplace_back(std::move(dict));
  }
  return jinja::Value::list(std::move(list));
}

}  // namespace

struct ChatTemplate::State {
  /// The same error, for somebody who only knows the model's file.
  Error named(const Error& error) const {
    if (origin.empty()) return error;
    const std::string what = error.what();
    const std::string problem = error.code() == ErrorCode::invalid_argument
                                    ? "its chat template refuses these messages: " + what
                                    : what;
    return Error(error.code(), origin + ": " + problem + "; use --raw or another model", origin);
  }

  std::string render(jinja::Value messages, bool add_generation_prompt) const {
    std::vector<std::pair<std::string, jinja::Value>> globals = {
        {"messages", std::move(messages)}, {"add_generation_prompt", add_generation_prompt},
        {"bos_token", bos_token},          {"eos_token", eos_token},
        {"tools", jinja::Value()},         {"documents", jinja::Value()}};
    try {
      return jinja::Interpreter(std::move(globals), clock).render(block);
    } catch (const Error& error) {
      throw named(error);
    }
  }

  jinja::Block block;
  std::string bos_token;
  std::string eos_token;
  Clock clock;
  std::string origin;
};

ChatTemplate::ChatTemplate(std::string_view source, std::string bos_token, std::string eos_token,
                           Clock clock, std::string origin)
    : state_(std::make_unique<State>()) {
  state_->origin = std::move(origin);
  try {
    state_->block = jinja::parse(source);
  } catch (const Error& error) {
    throw state_->named(error);
  }
  state_->bos_token = std::move(bos_token);
  state_->eos_token = std::move(eos_token);
  state_->clock = clock ? std::move(clock) : local_time;
}

ChatTemplate::~ChatTemplate() = default;
ChatTemplate::ChatTemplate(ChatTemplate&&) noexcept = default;
ChatTemplate& ChatTemplate::operator=(ChatTemplate&&) noexcept = default;

std::string ChatTemplate::render(const std::vector<ChatMessage>& messages,
                                 bool add_generation_prompt) const {
  return state_->render(to_value(messages), add_generation_prompt);
}

}  // namespace lore::engine
