// The command over examples/documents and the questions that belong to them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/cli/small_collection.hpp"

namespace lore::test {
namespace {

class ExamplesCommandTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!model_path("minilm")) GTEST_SKIP() << "model not on this machine: minilm";
    index = (folder.path() / "index").string();
    const std::string documents = (source_dir() / "examples/documents").string();
    const Outcome outcome = run_lore({"index", documents, "--index", index, "-q"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    for (const std::string& line : read_lines(source_dir() / "examples/questions.jsonl")) {
      questions.push_back(Json::parse(line));
    }
    ASSERT_EQ(questions.size(), 25U);
  }

  /// One answer a question, in order.
  std::vector<Json> answers(std::vector<std::string> flags) const {
    const std::string file = (source_dir() / "examples/questions.jsonl").string();
    flags.insert(flags.begin(), {"batch", file, "--index", index});
    const Outcome outcome = run_lore(flags);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    std::vector<Json> lines;
    std::istringstream stream(outcome.out);
    for (std::string line; std::getline(stream, line);) lines.push_back(Json::parse(line));
    return lines;
  }

  /// Whether a passage or citation stands on the page that answers the question.
  static bool is_right_page(const Json& question, const Json& place) {
    const auto path = place["document"].get<std::string>();
    const auto page = question["page"].get<std::size_t>();
    const std::size_t last =
        place.contains("page_end") ? place["page_end"].get<std::size_t>() : std::size_t{0};
    return path.ends_with(question["document"].get<std::string>()) && place["page"] <= page &&
           page <= std::max(last, place["page"].get<std::size_t>());
  }

  TemporaryFolder folder;
  std::string index;
  std::vector<Json> questions;
};

TEST_F(ExamplesCommandTest, SearchFindsTheRightPageAmongTheFirstThree) {
  std::size_t answerable = 0;
  std::size_t found = 0;
  std::string missed;
  for (const Json& question : questions) {
    if (!question["answerable"]) continue;
    ++answerable;
    const auto text = question["question"].get<std::string>();
    const Outcome outcome = run_lore({"search", text, "-k", "3", "--json", "--index", index});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const Json hits = Json::parse(outcome.out);
    const bool hit = std::any_of(hits.begin(), hits.end(), [&](const Json& passage) {
      return is_right_page(question, passage);
    });
    found += hit ? 1U : 0U;
    if (!hit) missed += text + "\n";
  }
  EXPECT_EQ(answerable, 20U);
  EXPECT_GE(found, 18U) << missed;
}

TEST_F(ExamplesCommandTest, SentencesOfTheDocumentsAnswerMostQuestions) {
  const std::vector<Json> lines = answers({"--no-generate"});
  ASSERT_EQ(lines.size(), questions.size());
  std::size_t right = 0;
  std::size_t refused = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const bool answered = lines[i]["status"] == "answered";
    if (!questions[i]["answerable"]) {
      refused += answered ? 0U : 1U;
      continue;
    }
    EXPECT_TRUE(answered) << questions[i]["question"];
    const Json& citations = lines[i]["citations"];
    right += std::any_of(citations.begin(), citations.end(), [&](const Json& citation) {
      return is_right_page(questions[i], citation);
    });
  }
  EXPECT_GE(right, 18U);
  EXPECT_GE(refused, 1U);  // what is near the documents only a model can refuse
}

TEST_F(ExamplesCommandTest, TheThreeQuestionsOfTheQuickstartAreAnsweredByTheModel) {
  LORE_NEED_MODEL("qwen-1.5b");
  std::size_t asked = 0;
  for (const Json& question : questions) {
    if (!question.value("quickstart", false)) continue;
    ++asked;
    const auto text = question["question"].get<std::string>();
    const Outcome outcome = run_lore({"ask", text, "-m", "qwen-1.5b", "--json", "--index", index});
    const Json answer = Json::parse(outcome.out);
    if (!question["answerable"]) {
      EXPECT_EQ(outcome.code, 3) << answer["answer"];
      EXPECT_EQ(answer["status"], "not_in_documents");
      continue;
    }
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    const Json& citations = answer["citations"];
    EXPECT_TRUE(std::any_of(citations.begin(), citations.end(), [&](const Json& citation) {
      return citation["status"] != "unsupported" && is_right_page(question, citation);
    })) << answer.dump(1);
    EXPECT_EQ(answer["uncited"], Json::array()) << "each sentence names a passage";
    EXPECT_TRUE(answer["withdrawn"].is_null()) << answer["withdrawn"];
  }
  EXPECT_EQ(asked, 3U);
}

}  // namespace
}  // namespace lore::test
