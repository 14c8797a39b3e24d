#include "engine/tokenizer/chat_template.hpp"

#include <ctime>
#include <utility>

#include "engine/tokenizer/jinja/interpreter.hpp"
#include "engine/tokenizer/jinja/parser.hpp"

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
  std::string render(jinja::Value messages, std::pair<bool, jinja::Value> tools,
                     bool add_generation_prompt) const {
    std::vector<std::pair<std::string, jinja::Value>> globals = {
        {"messages", std::move(messages)},
        {"add_generation_prompt", add_generation_prompt},
        {"bos_token", bos_token},
        {"eos_token", eos_token}};
    if (tools.first) {
      globals.emplace_back("tools", std::move(tools.second));
      globals.emplace_back("documents", jinja::Value());
    }
    return jinja::Interpreter(std::move(globals), clock).render(block);
  }

  jinja::Block block;
  std::string bos_token;
  std::string eos_token;
  Clock clock;
};

ChatTemplate::ChatTemplate(std::string_view source, std::string bos_token, std::string eos_token,
                           Clock clock)
    : state_(std::make_unique<State>()) {
  state_->block = jinja::parse(source);
  state_->bos_token = std::move(bos_token);
  state_->eos_token = std::move(eos_token);
  state_->clock = clock ? std::move(clock) : local_time;
}

ChatTemplate::~ChatTemplate() = default;
ChatTemplate::ChatTemplate(ChatTemplate&&) noexcept = default;
ChatTemplate& ChatTemplate::operator=(ChatTemplate&&) noexcept = default;

std::string ChatTemplate::render(const std::vector<ChatMessage>& messages,
                                 bool add_generation_prompt) const {
  return state_->render(to_value(messages), {true, jinja::Value()}, add_generation_prompt);
}

std::string ChatTemplate::render_json(std::string_view messages_json, std::string_view tools_json,
                                      bool add_generation_prompt) const {
  const bool defined = !tools_json.empty();
  return state_->render(jinja::from_json(messages_json),
                        {defined, defined ? jinja::from_json(tools_json) : jinja::Value()},
                        add_generation_prompt);
}

}  // namespace lore::engine
