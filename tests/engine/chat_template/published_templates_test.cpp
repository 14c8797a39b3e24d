// Every published template with every case, against what Jinja2 renders.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>
#include <string>

#include "engine/tokenizer/chat_template.hpp"
#include "lore/error.hpp"
#include "tests/engine/chat_template/json_template.hpp"
#include "tests/support/fixtures.hpp"

namespace lore::engine {
namespace {

using Json = nlohmann::ordered_json;
using test::JsonTemplate;

std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// The time that the expected texts were made at: 2026-01-15 09:30, a Thursday.
std::tm fixed_time() {
  std::tm time{};
  time.tm_year = 126;
  time.tm_mday = 15;
  time.tm_hour = 9;
  time.tm_min = 30;
  time.tm_wday = 4;
  time.tm_yday = 14;
  return time;
}

struct Outcome {
  std::string text;
  std::string error;
  ErrorCode code = ErrorCode::internal;
};

Outcome render(const JsonTemplate& chat, const Json& messages, const std::string& tools,
               bool prompt) {
  Outcome outcome;
  try {
    outcome.text = chat.render(messages.dump(), tools, prompt);
  } catch (const Error& error) {
    outcome.error = error.what();
    outcome.code = error.code();
  }
  return outcome;
}

/// The messages as lore itself has them; nothing where they hold more.
std::optional<std::vector<ChatMessage>> plain_messages(const Json& messages) {
  std::vector<ChatMessage> plain;
  for (const Json& message : messages) {
    if (message.size() != 2 || !message.at("content").is_string()) return std::nullopt;
    plain.push_back(
        {message.at("role").get<std::string>(), message.at("content").get<std::string>()});
  }
  return plain;
}

std::string tools_text(const Json& line, const Json& tools) {
  return line.value("tools_undefined", false) ? "" : tools.dump();
}

/// Where Jinja2 gives an error of its own: Python types and its sandbox, which differ in runtimes.
/// A refusal and a text are both right there; only what the template says itself must be the same.
bool is_refusal(const std::string& error) { return error.rfind("TemplateError: ", 0) == 0; }

TEST(PublishedTemplates, AllLinesAreEqual) {
  LORE_REQUIRE_SHARED(folder, "templates");
  std::map<std::string, Json> cases;
  for (const Json& entry : Json::parse(read_text(folder / "cases.json"))) {
    cases[entry.at("case").get<std::string>()] = entry;
  }
  std::map<std::string, JsonTemplate> templates;
  std::size_t lines = 0;
  std::size_t compared = 0;
  for (const std::string& text : test::read_lines(folder / "expected.jsonl")) {
    const Json line = Json::parse(text);
    const auto name = line.at("template").get<std::string>();
    if (templates.find(name) == templates.end()) {
      templates.emplace(name, JsonTemplate(read_text(folder / name), "<s>", "</s>", fixed_time));
    }
    const Json& entry = cases.at(line.at("case").get<std::string>());
    const Outcome outcome =
        render(templates.at(name), entry.at("messages"), tools_text(line, entry.at("tools")),
               line.at("add_generation_prompt").get<bool>());
    ++lines;
    const std::string where = name + " " + line.at("case").get<std::string>();
    if (!line.contains("error")) {
      ++compared;
      EXPECT_EQ(outcome.error, "") << where;
      EXPECT_EQ(outcome.text, line.at("expected").get<std::string>()) << where;
    } else if (is_refusal(line.at("error").get<std::string>())) {
      ++compared;
      EXPECT_EQ("TemplateError: " + outcome.error, line.at("error").get<std::string>()) << where;
      EXPECT_EQ(outcome.code, ErrorCode::invalid_argument) << where;
    }
  }
  EXPECT_EQ(lines, 1234U);
  EXPECT_EQ(compared, 1164U);
}

TEST(PublishedTemplates, TheDefaultModelsChatsAreEqual) {
  LORE_REQUIRE_SHARED(chats, "golden/chat.jsonl");
  LORE_REQUIRE_SHARED(folder, "templates");
  const std::map<std::string, std::string> files = {
      {"smollm2", "gguf-SmolLM2-135M-Instruct.jinja"},
      {"qwen05", "gguf-Qwen2.5-Coder-0.5B-Instruct.jinja"},
      {"qwen15", "gguf-Qwen2.5-Coder-1.5B-Instruct.jinja"}};
  std::size_t lines = 0;
  std::size_t plain_lines = 0;
  for (const std::string& text : test::read_lines(chats)) {
    const Json line = Json::parse(text);
    const auto model = line.at("model").get<std::string>();
    const std::string source = read_text(folder / files.at(model));
    const auto bos = line.at("bos_token").get<std::string>();
    const auto eos = line.at("eos_token").get<std::string>();
    const bool prompt = line.at("add_generation_prompt").get<bool>();
    const auto expected = line.at("expected").get<std::string>();
    const Outcome outcome = render(JsonTemplate(source, bos, eos), line.at("messages"),
                                   line.at("tools").dump(), prompt);
    EXPECT_EQ(outcome.error, "") << model;
    EXPECT_EQ(outcome.text, expected) << model;
    ++lines;
    const auto messages = plain_messages(line.at("messages"));
    if (!messages || !line.at("tools").is_null()) continue;
    EXPECT_EQ(ChatTemplate(source, bos, eos).render(*messages, prompt), expected) << model;
    ++plain_lines;
  }
  EXPECT_EQ(lines, 50U);
  EXPECT_GT(plain_lines, 10U);
}

}  // namespace
}  // namespace lore::engine
