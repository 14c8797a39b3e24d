// What makes lore at home in a shell: completions, doctor, chat.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>

#include "tests/cli/small_collection.hpp"

namespace lore::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// What bash offers for these words, a line each; the last word is the one that is being typed.
std::string bash_offers(const TemporaryFolder& folder, const std::vector<std::string>& words) {
  const Outcome script = run_lore({"completions", "bash"});
  EXPECT_EQ(script.code, 0) << script.err;
  std::string program = script.out + "\nCOMP_WORDS=(";
  for (const std::string& word : words) program += "'" + word + "' ";
  program += ")\nCOMP_CWORD=" + std::to_string(words.size() - 1) +
             "\n_lore\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n";
  const auto file = folder.write("try.bash", program);
  const std::string command = "cd '" + folder.path().string() + "' && LORE_HOME='" +
                              folder.path().string() + "/home' bash '" + file.string() + "' 2>&1";
  FILE* pipe = ::popen(command.c_str(), "r");
  std::string out;
  std::array<char, 4096> buffer{};
  while (std::fgets(buffer.data(), buffer.size(), pipe) != nullptr) out += buffer.data();
  EXPECT_EQ(::pclose(pipe), 0) << out;
  return "\n" + out;
}

TEST(Completions, BashOffersVerbsFlagsModelsAndFiles) {
  const TemporaryFolder folder;
  folder.write("home/models/tiny-model.gguf", "");
  folder.write("questions.csv", "");
  EXPECT_THAT(bash_offers(folder, {"lore", ""}),
              AllOf(HasSubstr("\nindex\n"), HasSubstr("\nserve\n"), HasSubstr("\nmodel\n")));
  EXPECT_THAT(bash_offers(folder, {"lore", "se"}),
              AllOf(HasSubstr("\nsearch\n"), HasSubstr("\nserve\n"), Not(HasSubstr("index"))));
  EXPECT_THAT(bash_offers(folder, {"lore", "ask", "--str"}), HasSubstr("\n--strict\n"));
  EXPECT_THAT(bash_offers(folder, {"lore", "ask", "-m", "ti"}), HasSubstr("\ntiny-model\n"));
  EXPECT_THAT(bash_offers(folder, {"lore", "model", "b"}), HasSubstr("\nbench\n"));
  EXPECT_THAT(bash_offers(folder, {"lore", "model", "bench", "--li"}), HasSubstr("\n--limits\n"));
  EXPECT_THAT(bash_offers(folder, {"lore", "batch", "qu"}), HasSubstr("\nquestions.csv\n"));
}

TEST(Completions, EveryShellKnowsEveryVerb) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const Outcome script = run_lore({"completions", shell});
    EXPECT_EQ(script.code, 0);
    for (const char* verb : {"index", "ask", "batch", "bench", "serve", "mcp", "chat", "doctor"}) {
      EXPECT_THAT(script.out, HasSubstr(verb)) << shell;
    }
    EXPECT_THAT(script.out, HasSubstr("strict")) << shell;
  }
  expect_refusal(run_lore({"completions", "tcsh"}), 2, {"tcsh"});
}

TEST(Doctor, SaysWhatIsMissing) {
  const TemporaryFolder folder;
  const RunOptions options{.folder = folder.path(),
                           .environment = {{"LORE_HOME", (folder.path() / "home").string()}}};
  const Outcome without = run_lore({"doctor"}, options);
  EXPECT_EQ(without.code, 1);
  EXPECT_THAT(without.out, AllOf(HasSubstr("missing: no embedding model"),
                                 HasSubstr("get-models.sh minilm"), HasSubstr("kernels")));
  folder.write("home/models/minilm.gguf", "");
  const Outcome with = run_lore({"doctor", "--json"}, options);
  EXPECT_EQ(with.code, 0) << with.out;
  const Json told = Json::parse(with.out);
  EXPECT_TRUE(told["found"].is_array());
  for (const Json& problem : told["problems"]) EXPECT_EQ(problem["needed"], false);
}

TEST(Config, SetsShowsAndForgets) {
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "own" / "config.json").string();
  RunOptions options{.folder = folder.path(), .environment = {{"LORE_CONFIG", file}}};
  EXPECT_EQ(run_lore({"config", "path"}, options).out, file + "\n");
  EXPECT_EQ(run_lore({"config", "set", "threads", "2"}, options).code, 0);
  EXPECT_EQ(run_lore({"config", "set", "ask.strict", "true"}, options).code, 0);
  options.environment["LORE_API_KEY"] = "sesame";
  const Outcome shown = run_lore({"config"}, options);
  EXPECT_THAT(shown.out, AllOf(HasSubstr("threads = 2  ("), HasSubstr("ask.strict = true  ("),
                               HasSubstr("api-key = …"), Not(HasSubstr("sesame"))));
  EXPECT_EQ(run_lore({"config", "unset", "ask.strict"}, options).code, 0);
  EXPECT_THAT(run_lore({"config", "show"}, options).out, Not(HasSubstr("strict")));
  expect_refusal(run_lore({"config", "set", "thread", "2"}, options), 2,
                 {"did you mean", "threads"});
  expect_refusal(run_lore({"config", "set", "threads"}, options), 2, {"set KEY VALUE"});
}

class ChatTest : public testing::Test {
 protected:
  void SetUp() override {
    LORE_NEED_MODEL("minilm");
    ASSERT_EQ(collection.index().code, 0);
  }
  SmallCollection collection;
};

TEST_F(ChatTest, AnswersFromDocumentsAndKnowsItsCommands) {
  const auto saved = collection.folder.path() / "saved.md";
  const Outcome talk = collection.run(
      {"chat", "--no-generate"},
      {.input = "What does alarm E14 mean?\n/sources\n/save " + saved.string() +
                "\n/open 99\n/sauces\n/clear\n/sources\n/help\n/exit\nnever asked\n"});
  EXPECT_EQ(talk.code, 0);
  EXPECT_THAT(talk.out, AllOf(HasSubstr("inlet pressure is too low"), HasSubstr("[1] pump.md"),
                              HasSubstr("Ctrl-C stops"), Not(HasSubstr("never"))));
  EXPECT_THAT(talk.err, AllOf(HasSubstr("no citation 99"), HasSubstr("did you mean /sources?"),
                              HasSubstr("no answer from documents yet")));
  const auto lines = read_lines(saved);
  ASSERT_FALSE(lines.empty());
  EXPECT_EQ(lines.front(), "**What does alarm E14 mean?**");
}

TEST_F(ChatTest, TheLastAnswersCitationIsOpened) {
  expect_refusal(collection.run({"open", "1"}), 1, {"nothing was asked here yet"});
  ASSERT_EQ(collection.run({"ask", "What does alarm E14 mean?", "--no-generate"}).code, 0);
  expect_refusal(collection.run({"open", "9"}), 2, {"no citation 9"});
  // A program that notes what it was asked to show.
  const auto program = collection.folder.write(
      "bin/xdg-open", "#!/bin/sh\nprintf '%s' \"$1\" > \"$(dirname \"$0\")/shown\"\n");
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  const Outcome opened = collection.run(
      {"open", "1"},
      {.environment = {{"PATH", program.parent_path().string() + ":/usr/bin:/bin"}}});
  EXPECT_EQ(opened.code, 0) << opened.err;
  const auto shown = program.parent_path() / "shown";
  for (int i = 0; i < 100 && !std::filesystem::exists(shown); ++i) ::usleep(50000);
  EXPECT_THAT(read_lines(shown), testing::ElementsAre((collection.docs / "pump.md").string()));
}

TEST_F(ChatTest, AFollowUpQuestionIsUnderstoodFromWhatWasSaid) {
  LORE_NEED_MODEL("qwen-1.5b");
  const Outcome talk =
      collection.run({"chat"}, {.input = "What does alarm E14 mean?\nAnd what does E41 mean?\n"});
  EXPECT_EQ(talk.code, 0) << talk.err;
  EXPECT_THAT(talk.out, HasSubstr("motor"));
}

TEST_F(ChatTest, TalksWithAModelAlone) {
  LORE_NEED_MODEL("smollm2");
  const Outcome talk =
      collection.run({"chat", "--plain", "-m", "smollm2"}, {.input = "Say hello.\nAnd again.\n"});
  EXPECT_EQ(talk.code, 0) << talk.err;
  EXPECT_GT(talk.out.size(), 4U);
  expect_refusal(collection.run({"chat", "--system", "x"}), 2, {"--system", "--plain"});
}

}  // namespace
}  // namespace lore::test
