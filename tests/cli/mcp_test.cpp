// `lore mcp`: messages in, messages out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <sstream>

#include "tests/cli/small_collection.hpp"

namespace lore::test {
namespace {

using testing::HasSubstr;

class McpTest : public testing::Test {
 protected:
  void SetUp() override {
    LORE_NEED_MODEL("minilm");
    ASSERT_EQ(collection.index().code, 0);
  }

  /// The answers to these lines, by the id of the request ("null" for errors without one).
  std::map<std::string, Json> talk(const std::string& lines) {
    const Outcome outcome = collection.run({"mcp"}, {.input = lines});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    std::map<std::string, Json> answers;
    std::istringstream out(outcome.out);
    for (std::string line; std::getline(out, line);) {
      const Json message = Json::parse(line, nullptr, false);
      EXPECT_TRUE(message.is_object()) << line;
      EXPECT_EQ(message["jsonrpc"], "2.0");
      answers[message.value("id", Json()).dump()] = message;
    }
    return answers;
  }
  static std::string request(int id, const std::string& method, const Json& parameters) {
    return Json{{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", parameters}}.dump() +
           "\n";
  }
  static std::string call(int id, const std::string& tool, const Json& arguments) {
    return request(id, "tools/call", {{"name", tool}, {"arguments", arguments}});
  }

  SmallCollection collection;
};

TEST_F(McpTest, IntroducesItselfAndItsTools) {
  auto answers =
      talk(request(1, "initialize", {{"protocolVersion", "2025-06-18"}}) +
           R"({"jsonrpc":"2.0","method":"notifications/initialized"})"
           "\n" +
           request(2, "tools/list", Json::object()) + request(3, "ping", Json::object()) +
           request(4, "initialize", {{"protocolVersion", "1999-01-01"}}));
  EXPECT_EQ(answers["1"]["result"]["protocolVersion"], "2025-06-18");
  EXPECT_EQ(answers["1"]["result"]["serverInfo"]["name"], "lore");
  EXPECT_EQ(answers["2"]["result"]["tools"].size(), 4U);
  for (const Json& tool : answers["2"]["result"]["tools"]) {
    EXPECT_EQ(tool["inputSchema"]["type"], "object");
    EXPECT_FALSE(tool["description"].get<std::string>().empty());
  }
  EXPECT_EQ(answers["3"]["result"], Json::object());
  EXPECT_EQ(answers["4"]["result"]["protocolVersion"], "2025-11-25");
}

TEST_F(McpTest, ToolsGiveTextAndData) {
  auto answers = talk(call(1, "search", {{"query", "alarm E14"}, {"k", 1}}) +
                      call(2, "get", {{"document", "minutes.txt"}}) + call(3, "status", Json()) +
                      call(4, "get", {{"document", "pump.md"}, {"page", 1}}));
  const Json& found = answers["1"]["result"];
  EXPECT_EQ(found["isError"], false);
  EXPECT_EQ(found["structuredContent"]["results"][0]["document"], "pump.md");
  EXPECT_THAT(found["content"][0]["text"].get<std::string>(), HasSubstr("Alarm E14 means"));
  EXPECT_THAT(answers["2"]["result"]["content"][0]["text"].get<std::string>(),
              HasSubstr("elected treasurer"));
  EXPECT_EQ(answers["3"]["result"]["structuredContent"]["documents"], 3);
  EXPECT_THAT(answers["4"]["result"]["content"][0]["text"].get<std::string>(),
              HasSubstr("Pump P7"));
}

TEST_F(McpTest, AnswersWithCitations) {
  LORE_NEED_MODEL("smollm2");
  auto answers = talk(call(1, "ask", {{"question", "At what pressure does the pump stop?"}}));
  EXPECT_EQ(answers["1"]["result"]["isError"], false) << answers["1"];
  EXPECT_TRUE(answers["1"]["result"]["structuredContent"].contains("citations"));
}

TEST_F(McpTest, WhatIsWrongIsSaid) {
  auto answers = talk(
      "garbage\n[]\n42\n" + call(1, "search", Json::object()) + call(2, "dance", Json::object()) +
      request(3, "no/such", Json::object()) + call(4, "get", {{"document", "nowhere.pdf"}}) +
      call(5, "search", {{"query", "a"}, {"k", 0}}) +
      call(6, "get", {{"document", "pump.md"}, {"page", 9}}) +
      R"({"jsonrpc":"2.0","id":7,"method":"ping","params":[1]})"
      "\n" +
      R"({"jsonrpc":"2.0","id":{},"method":"ping"})"
      "\n" +
      R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}})"
      "\n");
  EXPECT_EQ(answers["1"]["result"]["isError"], true);
  EXPECT_THAT(answers["1"]["result"]["content"][0]["text"].get<std::string>(),
              HasSubstr("'query' is missing"));
  EXPECT_EQ(answers["2"]["error"]["code"], -32602);
  EXPECT_EQ(answers["3"]["error"]["code"], -32601);
  EXPECT_EQ(answers["4"]["result"]["isError"], true);
  EXPECT_EQ(answers["5"]["result"]["isError"], true);
  EXPECT_EQ(answers["6"]["result"]["isError"], true);
  EXPECT_EQ(answers["7"]["error"]["code"], -32602);
  EXPECT_TRUE(answers["null"].contains("error"));
}

TEST_F(McpTest, WithoutAnIndexItDoesNotStart) {
  const TemporaryFolder empty;
  expect_refusal(run_lore({"mcp"}, {.folder = empty.path()}), 1, {"no index found", "lore index"});
}

}  // namespace
}  // namespace lore::test
