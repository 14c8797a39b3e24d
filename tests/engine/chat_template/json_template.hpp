// A template rendered with messages and tools as JSON: what ChatTemplate does, with the tool calls
// and the content in parts that the published cases have and lore's own messages do not.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/tokenizer/chat_template.hpp"
#include "engine/tokenizer/jinja/interpreter.hpp"
#include "engine/tokenizer/jinja/parser.hpp"

namespace lore::test {

class JsonTemplate {
 public:
  JsonTemplate(
      std::string_view source, std::string bos, std::string eos,
      engine::ChatTemplate::Clock clock = [] { return std::tm{}; })
      : block_(engine::jinja::parse(source)),
        bos_(std::move(bos)),
        eos_(std::move(eos)),
        clock_(std::move(clock)) {}

  /// `tools` may be "null"; where it is empty, `tools` and `documents` are not defined at all,
  /// which a few templates ask for.
  std::string render(std::string_view messages, std::string_view tools, bool prompt) const {
    using engine::jinja::Value;
    std::vector<std::pair<std::string, Value>> globals = {
        {"messages", engine::jinja::from_json(messages)},
        {"add_generation_prompt", prompt},
        {"bos_token", bos_},
        {"eos_token", eos_}};
    if (!tools.empty()) {
      globals.emplace_back("tools", engine::jinja::from_json(tools));
      globals.emplace_back("documents", Value());
    }
    return engine::jinja::Interpreter(std::move(globals), clock_).render(block_);
  }

 private:
  engine::jinja::Block block_;
  std::string bos_;
  std::string eos_;
  engine::ChatTemplate::Clock clock_;
};

}  // namespace lore::test
