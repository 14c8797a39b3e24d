// `lore chat` on a terminal: what its keys do.
#include <gtest/gtest.h>

#include "tests/cli/small_collection.hpp"

namespace lore::test {
namespace {

constexpr const char* kCtrlC = "\x03";
constexpr const char* kCtrlD = "\x04";
constexpr const char* kPrompt = "> ";

/// A collection, and a home for the history of what is typed.
class ChatTerminalTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto model = model_path("minilm");
    if (!model) GTEST_SKIP() << "model not on this machine: minilm";
    ASSERT_EQ(collection.index().code, 0);
    link_model(*model);
  }
  void link_model(const std::filesystem::path& file) {
    const auto models = collection.folder.path() / "home" / "models";
    std::filesystem::create_directories(models);
    std::filesystem::create_symlink(file, models / file.filename());
  }
  RunOptions options() const {
    RunOptions options;
    options.folder = collection.docs;
    options.environment["LORE_HOME"] = collection.folder.path() / "home";
    options.environment["TERM"] = "xterm";
    options.terminal_columns = 100;
    options.keyboard = true;
    return options;
  }
  SmallCollection collection;
};

TEST_F(ChatTerminalTest, KeysThatPeopleUse) {
  Running chat({"chat", "--no-generate"}, options());
  ASSERT_TRUE(chat.wait_for_output(kPrompt));
  // What is pasted with line ends is one question, sent by the key after it.
  chat.type("\x1b[200~What does\nalarm E14 mean?\x1b[201~");
  ASSERT_TRUE(chat.wait_for_output("mean?"));
  chat.type("\r");
  ASSERT_TRUE(chat.wait_for_output("Alarm E14 means that the inlet pressure is too low."));
  ASSERT_TRUE(chat.wait_for_output(kPrompt));
  // Ctrl-C drops the line that is being written.
  chat.type("What does alarm E41");
  ASSERT_TRUE(chat.wait_for_output("E41"));
  chat.type(kCtrlC);
  ASSERT_TRUE(chat.wait_for_output(kPrompt));
  // One key takes away a character of two bytes.
  chat.type("When is the summer party?ü\x7f\r");
  ASSERT_TRUE(chat.wait_for_output("12 July"));
  ASSERT_TRUE(chat.wait_for_output(kPrompt));
  // A character that is broken off takes no key with it.
  chat.type("/help\xC3\r");
  ASSERT_TRUE(chat.wait_for_output(kPrompt));
  chat.type("\x1b[A\x1b[A");  // the line before the last
  ASSERT_TRUE(chat.wait_for_output("summer party?"));
  chat.type("\r");
  ASSERT_TRUE(chat.wait_for_output("12 July"));
  ASSERT_TRUE(chat.wait_for_output(kPrompt));
  chat.type(kCtrlD);
  EXPECT_EQ(chat.finish().code, 0);
}

TEST_F(ChatTerminalTest, CtrlCEndsTheAnswerAndNotTheConversation) {
  const auto model = model_path("qwen-0.5b");
  if (!model) GTEST_SKIP() << "model not on this machine: qwen-0.5b";
  link_model(*model);
  Running chat({"chat", "--plain", "--model", "qwen-0.5b", "--max-tokens", "2000"}, options());
  ASSERT_TRUE(chat.wait_for_output(kPrompt));
  chat.type("Write the numbers from 1 to 500 as a list.\r");
  ASSERT_TRUE(chat.wait_for_output("2"));
  ASSERT_TRUE(chat.wait_for_output("3"));
  chat.type(kCtrlC);
  ASSERT_TRUE(chat.wait_for_output("(stopped)"));
  ASSERT_TRUE(chat.wait_for_output(kPrompt));
  chat.type("/exit\r");
  const Outcome outcome = chat.finish();
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.out.find("500\r\n"), std::string::npos) << "ran to its end";
}

}  // namespace
}  // namespace lore::test
