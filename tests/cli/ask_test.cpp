// ask and batch, with the small generator and without any.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "base/file.hpp"
#include "base/utf8.hpp"
#include "tests/cli/small_collection.hpp"

namespace lore::test {
namespace {

using testing::HasSubstr;

class AskCommandTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!model_path("minilm")) GTEST_SKIP() << "model not on this machine: minilm";
    ASSERT_EQ(collection.index().code, 0);
  }
  Json json(const std::vector<std::string>& arguments, int code = 0) {
    const Outcome outcome = collection.run(arguments);
    EXPECT_EQ(outcome.code, code) << outcome.err << outcome.out;
    return Json::parse(outcome.out, nullptr, false);
  }
  /// Every quote stands where its citation says, and the numbers are those of given passages.
  void check_citations(const Json& answer) {
    for (const Json& citation : answer["citations"]) {
      EXPECT_GE(citation["n"], 1);
      EXPECT_LE(citation["n"].get<std::size_t>(), answer["passages"].size());
      const Json document = json({"show", citation["document"].get<std::string>(), "--json"});
      const auto text = document["text"].get<std::string>();
      EXPECT_EQ(utf8::slice(text, citation["start"], citation["end"]),
                citation["quote"].get<std::string>());
      if (citation["status"] != "unsupported") {
        EXPECT_NE(citation["quote"], "");
      }
    }
  }
  SmallCollection collection;
};

TEST_F(AskCommandTest, ExtractiveAnswersQuoteTheDocument) {
  const Json answer = json({"ask", "What does alarm E14 mean?", "--no-generate", "--json"});
  EXPECT_EQ(answer["status"], "answered");
  EXPECT_TRUE(answer["generator"].is_null());
  EXPECT_THAT(answer["answer"].get<std::string>(), HasSubstr("inlet pressure is too low"));
  ASSERT_GE(answer["citations"].size(), 1U);
  EXPECT_EQ(answer["citations"][0]["document"], "pump.md");
  EXPECT_EQ(answer["citations"][0]["status"], "verified");
  check_citations(answer);
  const Outcome text =
      collection.run({"ask", "What", "does", "alarm", "E14", "mean?", "--no-generate"});
  EXPECT_EQ(text.code, 0);
  EXPECT_THAT(text.out, testing::AllOf(HasSubstr("[1] pump.md"), HasSubstr("verified"),
                                       HasSubstr("“Alarm E14 means")));
}

TEST_F(AskCommandTest, WhatIsNotThereIsCodeThreeWithTheNearestPassages) {
  const std::string question = "Who won the football world cup in Brazil?";
  const Json answer = json({"ask", question, "--no-generate", "--json"}, 3);
  EXPECT_EQ(answer["status"], "not_in_documents");
  EXPECT_EQ(answer["answer"], "");
  EXPECT_GT(answer["passages"].size(), 0U);
  const Outcome text = collection.run({"ask", question, "--no-generate"});
  EXPECT_EQ(text.code, 3);
  EXPECT_THAT(text.out, HasSubstr("Not in your documents."));
}

TEST_F(AskCommandTest, GeneratedAnswersCiteGivenPassagesOnly) {
  LORE_NEED_MODEL("smollm2");
  const Json answer =
      json({"ask", "At what pressure does the pump stop?", "-m", "smollm2", "--json"});
  EXPECT_EQ(answer["generator"], "smollm2");
  EXPECT_LE(answer["tokens"]["prompt"], 600);
  EXPECT_GT(answer["tokens"]["generated"], 0);
  EXPECT_GT(answer["timings_ms"]["prefill"], 0);
  EXPECT_GE(answer["citations"].size(), 1U);
  check_citations(answer);
  const Outcome text =
      collection.run({"ask", "At what pressure does the pump stop?", "-m", "smollm2"});
  EXPECT_EQ(text.code, 0) << text.err;
  // What the model writes is streamed before it is checked, and may be withdrawn then.
  const Json& written = answer["withdrawn"].is_null() ? answer["answer"] : answer["withdrawn"];
  EXPECT_THAT(text.out, testing::StartsWith(written.get<std::string>()));
  EXPECT_EQ(text.err, "");
}

TEST_F(AskCommandTest, WithoutAnyGeneratorItSaysSoAndAnswersAllTheSame) {
  RunOptions options;
  std::filesystem::create_directories(collection.folder.path() / "home/models");
  std::filesystem::create_symlink(*model_path("minilm"),
                                  collection.folder.path() / "home/models/minilm.gguf");
  options.environment["LORE_HOME"] = (collection.folder.path() / "home").string();
  const Outcome outcome = collection.run({"ask", "What does alarm E14 mean?"}, options);
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.err, HasSubstr("get-models.sh qwen-1.5b"));
  EXPECT_THAT(outcome.out, HasSubstr("inlet pressure is too low"));
  expect_refusal(collection.run({"ask", "What does alarm E14 mean?", "-m", "qwen-1.5b"}, options),
                 1, {"qwen-1.5b", "minilm", "get-models.sh"});
}

TEST_F(AskCommandTest, AChangedFileMakesCitationsStale) {
  collection.folder.write("docs/pump.md", "# Pump P7\n\nAll alarms have been taken out.\n");
  const Json answer = json({"ask", "What does alarm E14 mean?", "--no-generate", "--json"});
  ASSERT_GE(answer["citations"].size(), 1U);
  EXPECT_TRUE(answer["citations"][0]["stale"]);
  EXPECT_THAT(collection.run({"ask", "What does alarm E14 mean?", "--no-generate"}).out,
              HasSubstr("stale"));
}

TEST_F(AskCommandTest, ABatchAnswersAsAskDoesAndGoesOnWhereItStopped) {
  LORE_NEED_MODEL("smollm2");
  const auto questions = collection.folder.write(
      "questions.jsonl",
      "{\"id\":\"a\",\"question\":\"What does alarm E14 mean?\"}\n"
      "{\"id\":\"b\",\"question\":\"Who won the football world cup in Brazil?\"}\n"
      "{\"id\":\"c\",\"question\":\"Who was elected treasurer?\"}\n");
  const std::string output = (collection.folder.path() / "answers.jsonl").string();
  Outcome outcome =
      collection.run({"batch", questions.string(), "-o", output, "-m", "smollm2", "--jobs", "2"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  auto lines = read_lines(output);
  ASSERT_EQ(lines.size(), 3U);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Json line = Json::parse(lines[i]);
    EXPECT_EQ(line["id"], std::string(1, static_cast<char>('a' + i)));
    const Outcome alone =
        collection.run({"ask", line["question"].get<std::string>(), "-m", "smollm2", "--json"});
    const Json single = Json::parse(alone.out);
    EXPECT_EQ(line["answer"], single["answer"]);
    EXPECT_EQ(line["status"], single["status"]);
    EXPECT_EQ(line["citations"], single["citations"]);
  }
  // A second run refuses to overwrite; --resume finds nothing left to do, and mends a torn line.
  expect_refusal(collection.run({"batch", questions.string(), "-o", output}), 2, {"--resume"});
  const std::string torn = lines[0] + "\n" + lines[1] + "\n" + lines[2].substr(0, 30);
  collection.folder.write("answers.jsonl", torn);
  outcome =
      collection.run({"batch", questions.string(), "-o", output, "-m", "smollm2", "--resume"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("2 done before"));
  const auto again = read_lines(output);
  ASSERT_EQ(again.size(), 3U);
  EXPECT_EQ(Json::parse(again[2])["answer"], Json::parse(lines[2])["answer"]);
}

TEST_F(AskCommandTest, ABatchTellsWhichQuestionsFailed) {
  std::string long_question;
  for (int i = 0; i < 600; ++i) long_question += "pressure ";
  const auto questions = collection.folder.write(
      "q.txt", "What does alarm E14 mean?\n" + long_question + "\nbroken \xFF text\n");
  const Outcome outcome = collection.run({"batch", questions.string(), "--no-generate"});
  EXPECT_EQ(outcome.code, 4);
  std::istringstream lines(outcome.out);
  std::vector<std::string> statuses;
  for (std::string line; std::getline(lines, line);) {
    statuses.push_back(Json::parse(line)["status"].get<std::string>());
  }
  EXPECT_THAT(statuses, testing::ElementsAre("answered", "failed", "failed"));
  EXPECT_THAT(outcome.err, testing::AllOf(HasSubstr("question 2"), HasSubstr("tokens"),
                                          HasSubstr("question 3"), HasSubstr("UTF-8")));
}

TEST_F(AskCommandTest, ABatchOverItsOwnQuestionsOrAnotherFileIsRefused) {
  const auto questions = collection.folder.write("q.txt", "What does alarm E14 mean?\nWho?\n");
  const std::string before = read_file(questions);
  expect_refusal(collection.run({"batch", questions.string(), "-o", questions.string(), "--resume",
                                 "--no-generate"}),
                 2, {"q.txt", "--output"});
  EXPECT_EQ(read_file(questions), before);
  const auto other = collection.folder.write("notes.txt", "milk\nbread\n");
  expect_refusal(collection.run({"batch", questions.string(), "-o", other.string(), "--resume",
                                 "--no-generate"}),
                 2, {"notes.txt", "line 1", "--output"});
  EXPECT_EQ(read_file(other), "milk\nbread\n");
}

TEST_F(AskCommandTest, WhatFailsForEveryQuestionEndsABatchWithoutAFile) {
  const auto questions = collection.folder.write("q.txt", "What does alarm E14 mean?\nWho?\n");
  const std::string output = (collection.folder.path() / "answers.jsonl").string();
  const auto batch = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"batch", questions.string(), "-o", output});
    return collection.run(more);
  };
  expect_refusal(batch({"-m", "nomodel"}), 1, {"'nomodel'", "get-models.sh"});
  expect_refusal(batch({"-k", "0"}), 2, {"-k"});
  expect_refusal(batch({"--embed-model", "/nonexistent.gguf"}), 1, {"/nonexistent.gguf"});
  expect_refusal(batch({"--temp", "-1"}), 2, {"temp"});
  expect_refusal(batch({"--index", "/nonexistent/i"}), 1, {"/nonexistent/i"});
  EXPECT_FALSE(std::filesystem::exists(output));
  expect_refusal(collection.run({"batch", "missing.txt"}), 1, {"missing.txt", "; check the path"});
}

TEST_F(AskCommandTest, AMissingGeneratorIsToldOnceHoweverManyJobs) {
  RunOptions options;
  std::filesystem::create_directories(collection.folder.path() / "home/models");
  std::filesystem::create_symlink(*model_path("minilm"),
                                  collection.folder.path() / "home/models/minilm.gguf");
  options.environment["LORE_HOME"] = (collection.folder.path() / "home").string();
  std::string text;
  for (int i = 0; i < 12; ++i) text += "What does alarm E14 mean?\n";
  const auto questions = collection.folder.write("q.txt", text);
  const Outcome outcome =
      collection.run({"batch", questions.string(), "--jobs", "4", "-q"}, options);
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.messages().size(), 1U) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("get-models.sh"));
}

TEST_F(AskCommandTest, MorePassagesThanFitTheBudgetLeaveSome) {
  LORE_NEED_MODEL("smollm2");
  for (const char* k : {"15", "40"}) {
    const Json answer = json({"ask", "At what pressure does the pump stop?", "-m", "smollm2", "-k",
                              k, "--context-tokens", "220", "--json"});
    EXPECT_GE(answer["passages"].size(), 1U);
    EXPECT_LE(answer["tokens"]["prompt"], 220);
  }
}

TEST_F(AskCommandTest, CtrlCEndsABatchWithItsLinesKept) {
  LORE_NEED_MODEL("smollm2");
  std::string text;
  for (int i = 0; i < 200; ++i) {
    text += "What does alarm E" + std::to_string(i) + " mean for the pump P7?\n";
  }
  const auto questions = collection.folder.write("q.txt", text);
  const auto output = collection.folder.path() / "answers.jsonl";
  Running batch({"batch", questions.string(), "-o", output.string(), "-m", "smollm2"},
                {.folder = collection.docs});
  std::error_code ignored;
  for (int i = 0; i < 600; ++i) {
    if (std::filesystem::exists(output, ignored) && std::filesystem::file_size(output) > 0) break;
    ::usleep(50'000);
  }
  batch.signal(SIGINT);
  const Outcome outcome = batch.finish();
  EXPECT_EQ(outcome.code, 130);
  EXPECT_THAT(outcome.err, HasSubstr("--resume"));
  const auto lines = read_lines(output);
  EXPECT_GE(lines.size(), 1U);
  EXPECT_LT(lines.size(), 200U);
  for (const std::string& line : lines) EXPECT_TRUE(Json::parse(line, nullptr, false).is_object());
}

}  // namespace
}  // namespace lore::test
