// Flags, variables, settings, help: what is decided before any work is done.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "cli/flags.hpp"
#include "cli/suggestions.hpp"
#include "tests/cli/small_collection.hpp"

namespace lore::test {
namespace {

using testing::HasSubstr;

TEST(UsageTest, VersionAndHelpGoToStandardOutput) {
  const Outcome version = run_lore({"--version"});
  EXPECT_EQ(version.code, 0);
  EXPECT_THAT(version.out, testing::StartsWith("lore "));
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"--help"},
                                                    {"ask", "--help"},
                                                    {"model", "--help"},
                                                    {"model", "convert", "--help"}}) {
    const Outcome help = run_lore(arguments);
    EXPECT_EQ(help.code, 0);
    EXPECT_EQ(help.err, "");
    EXPECT_THAT(help.out, HasSubstr("lore"));
  }
  EXPECT_THAT(run_lore({"ask", "--help"}).out, HasSubstr("LORE_CONTEXT_TOKENS"));
  EXPECT_THAT(run_lore({"--help"}).out, testing::Not(HasSubstr("extract-worker")));
}

TEST(UsageTest, NoVerbIsWrongUsage) {
  const Outcome outcome = run_lore({});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, HasSubstr("index"));
  EXPECT_EQ(run_lore({"model"}).code, 2);
}

TEST(UsageTest, UnknownVerbsAndFlagsAreMetWithASuggestion) {
  expect_refusal(run_lore({"serach", "x"}), 2, {"'serach'", "'search'"});
  expect_refusal(run_lore({"model", "shwo", "x"}), 2, {"'shwo'", "'show'"});
  expect_refusal(run_lore({"ask", "--contxt-tokens", "9", "x"}), 2,
                 {"--contxt-tokens", "--context-tokens"});
  expect_refusal(run_lore({"index", "--jsn=1"}), 2, {"--jsn", "--json"});
  expect_refusal(run_lore({"search", "x", "--zzzzzzzz"}), 2, {"--zzzzzzzz", "lore search --help"});
}

TEST(UsageTest, ValuesThatDoNotFitAreWrongUsage) {
  expect_refusal(run_lore({"search", "x", "-k", "many"}), 2, {"many"});
  expect_refusal(run_lore({"search", "x", "--mode", "magic"}), 2, {"--mode", "hybrid"});
  expect_refusal(run_lore({"embed", "x", "-f", "xml"}), 2, {"--format", "jsonl"});
  expect_refusal(run_lore({"generate", "--raw", "--chat", "-p", "x"}), 2, {"--chat"});
  expect_refusal(run_lore({"generate", "--raw", "--system", "s", "-p", "x"}), 2, {"--system"});
  expect_refusal(run_lore({"batch"}), 2, {"FILE"});
  expect_refusal(run_lore({"model", "convert", "x"}), 2, {"--output"});
  expect_refusal(run_lore({"embed", "x", "-t", "many"}, {}), 2, {"--threads"});
}

TEST(UsageTest, AFlagBeatsItsVariableAndBothBeatSettings) {
  LORE_NEED_MODEL("minilm");
  const SmallCollection collection;
  ASSERT_EQ(collection.index().code, 0);
  const auto user =
      collection.folder.write("config.json", R"({"k": 1, "search": {"mode": "text"}})");
  RunOptions options;
  options.environment["LORE_CONFIG"] = user.string();
  const auto hits = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments{"search", "alarm inlet pressure minutes", "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = collection.run(arguments, options);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return Json::parse(outcome.out);
  };
  EXPECT_EQ(hits({}).size(), 1U) << "the user's settings";
  EXPECT_TRUE(hits({})[0]["vector"].is_null()) << "a setting for one verb";
  collection.folder.write("docs/.lore/config.json", R"({"k": 2})");
  EXPECT_EQ(hits({}).size(), 2U) << "the index's settings";
  options.environment["LORE_K"] = "1";
  EXPECT_EQ(hits({}).size(), 1U) << "the variable";
  EXPECT_EQ(hits({"-k", "2"}).size(), 2U) << "the flag";
  options.environment["LORE_K"] = "few";
  expect_refusal(collection.run({"search", "x"}, options), 2, {"few"});
}

TEST(UsageTest, SettingsThatMakeNoSenseAreToldWithFileAndKey) {
  const SmallCollection collection;
  RunOptions options;
  options.folder = collection.docs;
  const auto with = [&](const std::string& text) {
    options.environment["LORE_CONFIG"] = collection.folder.write("config.json", text).string();
    return run_lore({"index"}, options);
  };
  expect_refusal(with("{\"chunk_tokns\": 9}"), 2, {"config.json", "chunk_tokns", "chunk-tokens"});
  expect_refusal(with("{\"chunk-tokens\": \"many\"}"), 2, {"config.json", "chunk-tokens"});
  expect_refusal(with("[1, 2"), 1, {"config.json", "JSON"});
}

TEST(UsageTest, WhatFollowsTwoDashesIsText) {
  LORE_NEED_MODEL("smollm2");
  const Outcome outcome =
      run_lore({"model", "tokenize", "-m", "smollm2", "--json", "a", "--", "--json", "-m"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 3);
}

TEST(UsageTest, AReaderThatHasGoneIsNoError) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"--help"}, {"ask", "--help"}, {"--version"}}) {
    const Outcome outcome = run_lore(arguments, {.closed_output = true});
    EXPECT_EQ(outcome.code, 128 + SIGPIPE) << "as any other command of a shell's pipe";
    EXPECT_EQ(outcome.err, "");
  }
}

TEST(UsageTest, TheUsersSettingsMaySayWhereTheIndexIs) {
  LORE_NEED_MODEL("minilm");
  const SmallCollection collection;
  ASSERT_EQ(collection.index().code, 0);
  const TemporaryFolder elsewhere;
  RunOptions options{.folder = elsewhere.path()};
  options.environment["LORE_CONFIG"] =
      collection.folder
          .write("config.json", "{\"index\": \"" + collection.docs.string() + "\", \"k\": 2}")
          .string();
  const auto hits = [&] {
    const Outcome outcome = run_lore({"search", "pump", "--json"}, options);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return Json::parse(outcome.out, nullptr, false);
  };
  EXPECT_EQ(hits().size(), 2U);
  collection.folder.write("docs/.lore/config.json", R"({"k": 1})");
  EXPECT_EQ(hits().size(), 1U) << "that index's own settings come before the user's";
}

TEST(UsageTest, SettingsAndTextsAfterTwoDashesGiveWhatIsRequired) {
  LORE_NEED_MODEL("smollm2");
  const SmallCollection collection;
  RunOptions options{.folder = collection.docs};
  expect_refusal(run_lore({"model", "tokenize", "x"}, options), 2, {"--model"});
  options.environment["LORE_CONFIG"] =
      collection.folder.write("config.json", R"({"tokenize": {"model": "smollm2"}})").string();
  EXPECT_EQ(run_lore({"model", "tokenize", "x"}, options).code, 0);
  expect_refusal(run_lore({"batch", "--", "-q.txt"}, options), 1, {"no index"});
  expect_refusal(run_lore({"batch", "--"}, options), 2, {"FILE"});
  EXPECT_NE(run_lore({"batch", "--help"}).out.find("REQUIRED"), std::string::npos);
}

TEST(UsageTest, AFlagBeatsTheSettingOfItsOpposite) {
  LORE_NEED_MODEL("smollm2");
  const SmallCollection collection;
  const auto prompt_ids = [&](const std::string& settings, const std::vector<std::string>& more) {
    RunOptions options;
    options.environment["LORE_CONFIG"] = collection.folder.write("config.json", settings).string();
    std::vector<std::string> arguments{"generate", "-m", "smollm2", "-p",
                                       "Hi",       "-n", "1",       "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = run_lore(arguments, options);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return Json::parse(outcome.out, nullptr, false)["prompt_ids"].size();
  };
  const std::size_t chat = prompt_ids("{}", {"--chat"});
  const std::size_t raw = prompt_ids("{}", {"--raw"});
  ASSERT_LT(raw, chat);
  EXPECT_EQ(prompt_ids(R"({"raw": true})", {}), raw);
  EXPECT_EQ(prompt_ids(R"({"raw": true})", {"--chat"}), chat);
  EXPECT_EQ(prompt_ids(R"({"chat": false})", {}), raw);
  EXPECT_EQ(prompt_ids(R"({"chat": false})", {"--chat"}), chat);
}

TEST(UsageTest, TheSettingsOfAFilesIndexCount) {
  const SmallCollection collection;
  collection.folder.write("docs/.lore/config.json", R"({"chunk-tokens": "many"})");
  expect_refusal(run_lore({"index", (collection.docs / "pump.md").string()}), 2,
                 {"docs/.lore/config.json", "chunk-tokens"});
}

TEST(UsageTest, JsonIsAFlagOfEveryVerbThatHasAResult) {
  for (const std::vector<std::string>& verb : {std::vector<std::string>{"index"},
                                               {"search"},
                                               {"ask"},
                                               {"batch"},
                                               {"embed"},
                                               {"generate"},
                                               {"status"},
                                               {"check"},
                                               {"show"},
                                               {"model", "show"},
                                               {"model", "tokenize"},
                                               {"model", "convert"},
                                               {"model", "bench"}}) {
    std::vector<std::string> arguments = verb;
    arguments.insert(arguments.end(), {"--json", "--help"});
    EXPECT_EQ(run_lore(arguments).code, 0) << verb.back();
  }
  expect_refusal(run_lore({"embed", "x", "--json", "-f", "npy"}), 2, {"--json", "npy"});
  expect_refusal(run_lore({"generate", "-p", "x", "--logprobs", "2"}), 2, {"--logprobs", "--json"});
}

TEST(UsageTest, KernelsAndThreadsThatCannotBeAreRefused) {
  LORE_NEED_MODEL("minilm");
#if defined(__aarch64__)
  expect_refusal(run_lore({"embed", "x", "--kernels", "sse41"}), 1, {"sse41", "neon"});
#else
  expect_refusal(run_lore({"embed", "x", "--kernels", "neon"}), 1, {"neon", "leave out --kernels"});
#endif
  expect_refusal(run_lore({"embed", "x", "--kernels", "sse9"}), 2, {"sse9", "auto"});
  expect_refusal(run_lore({"embed", "x", "-t", "1000000"}), 2, {"--threads", "512"});
}

TEST(FlagsTest, VariablesFollowFromNames) {
  EXPECT_EQ(cli::variable_of("chunk-tokens"), "LORE_CHUNK_TOKENS");
  EXPECT_EQ(cli::setting_of("LORE_CHUNK_TOKENS"), "chunk-tokens");
}

TEST(SuggestionsTest, CountTypingErrors) {
  EXPECT_EQ(cli::edit_distance("", "abc"), 3U);
  EXPECT_EQ(cli::edit_distance("serach", "search"), 1U);
  EXPECT_EQ(cli::edit_distance("ask", "ask"), 0U);
  const std::vector<std::string> verbs = {"index", "search", "ask"};
  EXPECT_EQ(cli::nearest("indx", verbs), "index");
  EXPECT_EQ(cli::nearest("sea", verbs), "search");
  EXPECT_EQ(cli::nearest("completely", verbs), std::nullopt);
}

}  // namespace
}  // namespace lore::test
