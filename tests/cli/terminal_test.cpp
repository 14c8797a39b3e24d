// What people see on a terminal: colour, links, the progress line, and nothing that a document or
// its name could do to it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "base/utf8.hpp"
#include "tests/cli/small_collection.hpp"

namespace lore::test {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kEscape = "\x1b";

class TerminalTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!model_path("minilm")) GTEST_SKIP() << "model not on this machine: minilm";
  }
  Outcome shown(const std::vector<std::string>& arguments, RunOptions options = {}) {
    if (options.terminal_columns == 0) options.terminal_columns = 100;
    return collection.run(arguments, options);
  }
  SmallCollection collection;
};

TEST_F(TerminalTest, ColoursAndLinksUnlessUnwanted) {
  ASSERT_EQ(collection.index().code, 0);
  const std::vector<std::string> search = {"search", "alarm E14"};
  const Outcome coloured = shown(search);
  EXPECT_EQ(coloured.code, 0);
  EXPECT_THAT(coloured.out, HasSubstr("\x1b[1m1. \x1b[0m"));
  EXPECT_THAT(coloured.out, HasSubstr("\x1b]8;;file:///"));
  EXPECT_THAT(shown({"search", "alarm E14", "--no-color"}).out, Not(HasSubstr(kEscape)));
  for (const auto& variable : {std::pair<std::string, std::string>{"NO_COLOR", "1"},
                               {"TERM", "dumb"},
                               {"LORE_NO_COLOR", "true"}}) {
    RunOptions options;
    options.environment.insert(variable);
    EXPECT_THAT(shown(search, options).out, Not(HasSubstr(kEscape))) << variable.first;
  }
  EXPECT_THAT(collection.run(search).out, Not(HasSubstr(kEscape))) << "no terminal";
}

TEST_F(TerminalTest, TheProgressLineFitsTheTerminalAndIsTakenAway) {
  collection.folder.write("docs/a document with quite a long name that goes on.txt", "A text.");
  for (const unsigned columns : {20U, 37U, 200U}) {
    Outcome outcome = shown({"index", "--retry"}, {.terminal_columns = columns});
    // The taskbar shows the share that is done, and nothing in the end.
    const std::string no_taskbar = "\x1b]9;4;0\x1b\\";
    EXPECT_THAT(outcome.out, HasSubstr("\x1b]9;4;1;"));
    EXPECT_GT(outcome.out.rfind(no_taskbar) + 1, outcome.out.rfind("\x1b]9;4;1;"));
    outcome.out = std::regex_replace(outcome.out, std::regex("\x1b\\]9;4;[0-9;]*\x1b\\\\"), "");
    EXPECT_EQ(outcome.code, 0) << outcome.out;
    const std::string erase = "\r\x1b[K";
    std::size_t lines = 0;
    for (std::size_t at = outcome.out.find(erase); at != std::string::npos;) {
      const std::size_t start = at + erase.size();
      at = outcome.out.find(erase, start);
      if (at == std::string::npos) break;  // what follows the last one is the report
      const std::string line = outcome.out.substr(start, at - start);
      EXPECT_LT(utf8::length(line), columns) << line;
      if (!line.empty()) ++lines;
    }
    EXPECT_GE(lines, 1U);
    EXPECT_THAT(outcome.out, HasSubstr("Documents: "));
    std::filesystem::remove_all(collection.docs / ".lore");
  }
  EXPECT_THAT(shown({"index", "--no-progress", "--no-color"}).out, Not(HasSubstr(kEscape)));
}

// Everything that a screen reader is given stays as it was written, and says no names of signs.
TEST_F(TerminalTest, ScreenReadersHearLinesThatStay) {
  const Outcome indexed = shown({"index", "--screen-reader"});
  ASSERT_EQ(indexed.code, 0) << indexed.out;
  const std::string question = "What does alarm E14 mean?";
  const std::vector<std::vector<std::string>> commands = {
      {"search", question, "--screen-reader"},
      {"ask", question, "--no-generate", "--screen-reader"},
      {"status", "--screen-reader"},
      {"doctor", "--screen-reader"}};
  std::string text = indexed.out;
  for (const auto& command : commands) text += shown(command).out;
  EXPECT_THAT(text, HasSubstr("Alarm E14 means"));
  for (const char* sign : {kEscape, "·", "›", "\r\x1b"}) EXPECT_THAT(text, Not(HasSubstr(sign)));
  EXPECT_THAT(shown({"search", question}).out, HasSubstr(" · ")) << "has signs to be left out";
}

TEST_F(TerminalTest, NothingInADocumentOrItsNameReachesTheTerminalAsAnEscape) {
  const std::string evil =
      "\x1b]0;taken\x07\x1b[2J\xC2\x9B"
      "31m";
  // Enough text around it, or the file would be taken for binary data.
  std::string text;
  for (int i = 0; i < 40; ++i) text += "The lake is calm in the morning, and boats are on it. ";
  collection.folder.write("docs/evil" + evil + ".md", "# Zeppelin" + evil + "\n\nThe zeppelin" +
                                                          evil + " flies at a height of 300" +
                                                          evil + " metres over the lake.\n\n" +
                                                          text + "\n");
  collection.folder.write("docs/bad" + evil + ".pdf", "");
  const auto is_clean = [](const Outcome& outcome) {
    for (const std::string& text : {outcome.out, outcome.err}) {
      EXPECT_THAT(text, Not(HasSubstr("\x1b]0;")));
      EXPECT_THAT(text, Not(HasSubstr("\x1b[2J")));
      EXPECT_THAT(text, Not(HasSubstr("\x07")));
      EXPECT_THAT(text, Not(HasSubstr("\xC2\x9B")));
    }
  };
  const std::string question = "At what height does the zeppelin fly?";
  const std::string name = "evil" + evil + ".md";
  const std::vector<std::vector<std::string>> commands = {
      {"index"},
      {"index", "--retry"},
      {"status"},
      {"search", question, "--explain"},
      {"search", "zyzzyva" + evil, "--mode", "text"},
      {"ask", question, "--no-generate"},
      {"show", name + "x"},
      {"check"}};
  for (const auto& command : commands) {
    SCOPED_TRACE(command.front());
    is_clean(collection.run(command));
    is_clean(shown(command));
  }
  is_clean(shown({"show", name}));
  EXPECT_THAT(collection.run({"ask", question, "--no-generate"}).out, HasSubstr("300"));
  EXPECT_THAT(collection.run({"show", name}).out, HasSubstr(evil)) << "to the byte in a pipe";
}

}  // namespace
}  // namespace lore::test
