#include "pipeline/batch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/file.hpp"
#include "lore/error.hpp"
#include "tests/support/fixtures.hpp"

namespace lore::pipeline {
namespace {

using Json = nlohmann::json;
using testing::ElementsAre;

class BatchTest : public testing::Test {
 protected:
  std::vector<QuestionRow> questions(std::size_t count) {
    std::vector<QuestionRow> rows;
    for (std::size_t i = 1; i <= count; ++i) {
      rows.push_back({std::to_string(i), "question " + std::to_string(i), "", i});
    }
    return rows;
  }

  /// Fails questions that end in 3, slower the earlier a question stands.
  Answerer answerer() {
    return [this](const std::string& question) {
      ++asked;
      if (slow) std::this_thread::sleep_for(std::chrono::milliseconds(20 / asked.load()));
      if (question.ends_with('3')) throw Error(ErrorCode::limit_exceeded, "too long");
      if (question == fatal) throw Error(fatal_code, "the disk is full");
      Answer answer;
      answer.question = question;
      answer.status =
          question.ends_with('2') ? AnswerStatus::not_in_documents : AnswerStatus::answered;
      return answer;
    };
  }

  BatchReport run(const std::vector<QuestionRow>& rows, const BatchCallbacks& callbacks = {}) {
    return run_batch(
        rows, [this] { return answerer(); }, options, callbacks);
  }

  Error error_of(const std::vector<QuestionRow>& rows) {
    try {
      run(rows);
    } catch (const Error& error) {
      return error;
    }
    return Error(ErrorCode::internal, "nothing was thrown");
  }

  std::vector<std::string> written_ids() const {
    std::vector<std::string> ids;
    for (const std::string& line : test::read_lines(options.output)) {
      ids.push_back(Json::parse(line)["id"].dump());
    }
    return ids;
  }

  test::TemporaryFolder folder;
  BatchOptions options{.output = folder.path() / "answers.jsonl"};
  std::atomic<int> asked{0};
  bool slow = false;
  std::string fatal;
  ErrorCode fatal_code = ErrorCode::no_space;
};

TEST_F(BatchTest, EachQuestionIsALineInOrderAndFailuresAreLinesToo) {
  std::vector<std::string> failed;
  BatchCallbacks callbacks;
  callbacks.failed = [&](std::string_view id, std::string_view) { failed.emplace_back(id); };
  auto rows = questions(5);
  rows[4].error = "line 5 holds no question";
  const BatchReport report = run(rows, callbacks);
  EXPECT_EQ(report.answered, 2U);
  EXPECT_EQ(report.not_in_documents, 1U);
  EXPECT_EQ(report.failed, 2U);
  EXPECT_THAT(written_ids(), ElementsAre("1", "2", "3", "4", "5"));
  EXPECT_THAT(failed, ElementsAre("3", "5"));
  const Json third = Json::parse(test::read_lines(options.output)[2]);
  EXPECT_EQ(third["status"], "failed");
  EXPECT_EQ(third["error"], "too long");
  EXPECT_EQ(third["question"], "question 3");
}

TEST_F(BatchTest, JobsKeepTheOrder) {
  slow = true;
  options.jobs = 4;
  const auto rows = questions(20);
  run(rows);
  const auto ids = written_ids();
  ASSERT_EQ(ids.size(), 20U);
  for (std::size_t i = 0; i < ids.size(); ++i) EXPECT_EQ(ids[i], std::to_string(i + 1));
}

TEST_F(BatchTest, ResumeLeavesAnsweredQuestionsAloneAndRepeatsTheRest) {
  run(questions(5));
  // The run was killed while it wrote a line, and one question had failed.
  std::string text = read_file(options.output);
  folder.write("answers.jsonl", text + "{\"id\":6,\"status\":\"answ");
  options.resume = true;
  asked = 0;
  const BatchReport report = run(questions(7));
  EXPECT_EQ(report.skipped, 4U);
  EXPECT_EQ(asked, 3) << "the failed one, the torn one, the new one";
  EXPECT_THAT(written_ids(), ElementsAre("1", "2", "4", "5", "3", "6", "7"));
}

TEST_F(BatchTest, ResumeOfNothingBeginsAndOfACompleteFileEnds) {
  options.resume = true;
  auto rows = questions(2);
  EXPECT_EQ(run(rows).answered, 1U);
  asked = 0;
  EXPECT_EQ(run(rows).skipped, 2U);
  EXPECT_EQ(asked, 0);
}

TEST_F(BatchTest, AnswersOfAnEarlierRunAreNotOverwritten) {
  run(questions(1));
  try {
    run(questions(1));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    EXPECT_THAT(error.what(), testing::HasSubstr("--resume"));
  }
  EXPECT_EQ(written_ids().size(), 1U);
}

TEST_F(BatchTest, AFileThatIsNoLogIsNeverWrittenOver) {
  options.resume = true;
  const std::string answer = R"({"id":1,"question":"question 1","status":"answered"})";
  const std::vector<std::string> files = {"What does alarm E14 mean?\nWho is treasurer?\n",
                                          "One question without a line end",
                                          R"({"id":1,"question":"question 1"})"
                                          "\n",
                                          R"({"id":1,"question":"question 1","status":3})"
                                          "\n",
                                          "[1, 2]\n",
                                          answer + "\n\n" + answer + "\n",
                                          "\xFF\xFE\n"};
  for (const std::string& text : files) {
    folder.write("answers.jsonl", text);
    const Error error = error_of(questions(2));
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument) << text;
    EXPECT_THAT(error.what(),
                testing::AllOf(testing::HasSubstr("answers.jsonl"), testing::HasSubstr("line ")));
    EXPECT_EQ(read_file(options.output), text);
  }
}

TEST_F(BatchTest, TheQuestionsAreNoPlaceForTheAnswers) {
  for (const bool resume : {false, true}) {
    options.resume = resume;
    options.input = folder.write("questions.txt", "question 1\n");
    options.output = folder.path() / "." / "questions.txt";
    const Error error = error_of(questions(1));
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    EXPECT_THAT(error.what(), testing::HasSubstr("holds the questions"));
    EXPECT_EQ(read_file(options.input), "question 1\n");
  }
}

TEST_F(BatchTest, AnotherQuestionUnderTheSameIdIsToldAndNothingChanged) {
  run(questions(3));
  const std::string before = read_file(options.output);
  auto rows = questions(3);
  rows[1].question = "another question";
  options.resume = true;
  const Error error = error_of(rows);
  EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
  EXPECT_THAT(error.what(),
              testing::AllOf(testing::HasSubstr("question 2"), testing::HasSubstr("--output")));
  EXPECT_EQ(read_file(options.output), before) << "the failed line is still there";
}

TEST_F(BatchTest, ErrorsThatLieInNoQuestionEndTheBatchBeforeAFileIsMade) {
  const auto broken = [](ErrorCode code) {
    return [code]() -> Answerer { throw Error(code, "there is no model"); };
  };
  for (const ErrorCode code : {ErrorCode::not_found, ErrorCode::invalid_argument}) {
    EXPECT_THROW(run_batch(questions(2), broken(code), options, {}), Error);
    EXPECT_FALSE(std::filesystem::exists(options.output));
  }
  for (const ErrorCode code : {ErrorCode::corrupt, ErrorCode::not_found, ErrorCode::mismatch,
                               ErrorCode::busy, ErrorCode::io}) {
    options.output = folder.path() / ("a" + std::to_string(static_cast<int>(code)));
    fatal = "question 2";
    fatal_code = code;
    EXPECT_EQ(error_of(questions(3)).code(), code);
    EXPECT_LE(written_ids().size(), 1U);
  }
}

TEST_F(BatchTest, StoppingKeepsTheLinesThatAreDone) {
  BatchCallbacks callbacks;
  std::size_t done = 0;
  callbacks.progress = [&](std::size_t count, std::size_t) { done = count; };
  callbacks.stop = [&] { return done >= 2; };
  try {
    run(questions(5), callbacks);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::interrupted);
  }
  EXPECT_THAT(written_ids(), ElementsAre("1", "2"));
}

TEST_F(BatchTest, AFullDiskEndsTheBatchWhateverTheNumberOfJobs) {
  for (const unsigned jobs : {1U, 3U}) {
    options.jobs = jobs;
    options.output = folder.path() / ("answers" + std::to_string(jobs) + ".jsonl");
    fatal = "question 4";
    try {
      run(questions(9));
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::no_space);
    }
    const auto ids = written_ids();
    EXPECT_LE(ids.size(), 3U);
    for (std::size_t i = 0; i < ids.size(); ++i) EXPECT_EQ(ids[i], std::to_string(i + 1));
  }
}

TEST_F(BatchTest, WithoutAFileLinesGoToTheCaller) {
  options.output.clear();
  std::vector<std::string> lines;
  BatchCallbacks callbacks;
  callbacks.line = [&](std::string_view line) { lines.emplace_back(line); };
  run(questions(2), callbacks);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(Json::parse(lines[1])["status"], "not_in_documents");
}

TEST_F(BatchTest, WritingToAFullDeviceIsToldAsSuch) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  options.output = "/dev/full";
  try {
    run(questions(1));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::no_space);
  }
}

}  // namespace
}  // namespace lore::pipeline
