#include "pipeline/question_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lore/error.hpp"
#include "tests/support/fixtures.hpp"

namespace lore::pipeline {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class QuestionFileTest : public testing::Test {
 protected:
  std::vector<QuestionRow> read(const std::string& name, const std::string& text) {
    return read_questions(folder.write(name, text));
  }
  std::string refusal(const std::string& name, const std::string& text) {
    try {
      read(name, text);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
      return error.what();
    }
    return {};
  }
  test::TemporaryFolder folder;
};

std::vector<std::string> ids(const std::vector<QuestionRow>& rows) {
  std::vector<std::string> found;
  for (const QuestionRow& row : rows) found.push_back(row.id_json);
  return found;
}

TEST_F(QuestionFileTest, PlainLinesAreNumberedAndEmptyOnesLeftOut) {
  const auto rows = read("q.txt", "\xEF\xBB\xBF  What is it? \r\n\n\nWhy?");
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].question, "What is it?");
  EXPECT_EQ(rows[1].question, "Why?");
  EXPECT_THAT(ids(rows), ElementsAre("1", "4"));
}

TEST_F(QuestionFileTest, CsvColumnsAreFoundByNameAndQuotesMayHoldAnything) {
  const auto rows = read("q.csv",
                         "note,Question,ID\n"
                         "x,\"What, \"\"exactly\"\",\nis it?\",a7\r\n"
                         "y,Why?,\n");
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].question, "What, \"exactly\",\nis it?");
  EXPECT_EQ(rows[0].id_json, "\"a7\"");
  EXPECT_EQ(rows[1].id_json, "\"line 4\"") << "without an id: the line that it begins in";
}

TEST_F(QuestionFileTest, OneCsvColumnNeedsNoHeader) {
  const auto rows = read("q.csv", "What is it?\nWhy?\n");
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].question, "What is it?");
}

TEST_F(QuestionFileTest, JsonLinesKeepTheirIdsAsTheyAre) {
  const auto rows = read("q.jsonl",
                         "{\"id\": 12, \"question\": \"What?\"}\n"
                         "{\"id\": \"b\", \"question\": \"Why?\", \"note\": [1]}\n"
                         "{\"question\": \"Who?\"}\n\"How?\"\n");
  EXPECT_THAT(ids(rows), ElementsAre("12", "\"b\"", "\"line 3\"", "\"line 4\""));
  EXPECT_EQ(rows[3].question, "How?");
}

TEST_F(QuestionFileTest, RowsThatMakeNoSenseAreKeptWithTheirError) {
  const auto rows = read("q.jsonl",
                         "{\"id\": 1, \"question\": \"What?\"}\n{torn\n[1]\n{\"id\": 5}\n"
                         "{\"id\": {}, \"question\": \"x\"}\n{\"id\": 6, \"question\": \"  \"}\n");
  ASSERT_EQ(rows.size(), 6U);
  EXPECT_EQ(rows[0].error, "");
  for (std::size_t i = 1; i < rows.size(); ++i) {
    EXPECT_THAT(rows[i].error, HasSubstr("line " + std::to_string(i + 1)));
  }
}

TEST_F(QuestionFileTest, InvalidUtf8FailsItsRowAlone) {
  const auto rows = read("q.txt",
                         "good\nba\xFF"
                         "d\n");
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].error, "");
  EXPECT_THAT(rows[1].error, HasSubstr("UTF-8"));
}

TEST_F(QuestionFileTest, WhatIsNoQuestionFileIsRefused) {
  EXPECT_THAT(refusal("q.docx", "x"), HasSubstr(".jsonl"));
  EXPECT_THAT(refusal("q.csv", "a,b\n1,2\n"), HasSubstr("question"));
  EXPECT_THAT(refusal("q.jsonl", "{\"id\":1,\"question\":\"a\"}\n{\"id\":1,\"question\":\"b\"}\n"),
              HasSubstr("line 1 and in line 2"));
  EXPECT_THROW(read_questions(folder.path() / "none.txt"), Error);
}

TEST_F(QuestionFileTest, AnEmptyFileHasNoQuestions) {
  EXPECT_TRUE(read("q.txt", "").empty());
  EXPECT_TRUE(read("q.csv", "").empty());
  EXPECT_TRUE(read("q.csv", "id,question\n").empty());
  EXPECT_TRUE(read("q.jsonl", "\n").empty());
}

}  // namespace
}  // namespace lore::pipeline
