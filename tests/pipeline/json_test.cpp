#include "lore/json.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>

namespace lore {
namespace {

using Json = nlohmann::json;

std::string first_key(const std::string& json) {
  return nlohmann::ordered_json::parse(json).begin().key();
}

TEST(JsonTest, Float32ReadsBackExactly) {
  std::mt19937 random(3);
  std::vector<float> numbers = {0.0F,
                                -0.0F,
                                1.0F,
                                0.1F,
                                -1e-30F,
                                std::numeric_limits<float>::max(),
                                std::numeric_limits<float>::min(),
                                std::numeric_limits<float>::denorm_min()};
  for (int i = 0; i < 20000; ++i) {
    const auto bits = static_cast<std::uint32_t>(random());
    float number = 0;
    std::memcpy(&number, &bits, sizeof(number));
    if (std::isfinite(number)) numbers.push_back(number);
  }
  const Json read = Json::parse(to_json(std::span<const float>(numbers)));
  ASSERT_EQ(read.size(), numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const float back = std::strtof(read[i].dump().c_str(), nullptr);
    ASSERT_EQ(back, numbers[i]);
  }
  Passage passage;
  passage.similarity = 0.1F;
  const std::string json = to_json(std::span<const Passage>(&passage, 1));
  EXPECT_NE(json.find("\"similarity\":0.1"), std::string::npos) << "9 digits at most: " << json;
  EXPECT_EQ(json.find("0.10000000149"), std::string::npos);
}

TEST(JsonTest, SearchResultsHaveTheDocumentedMembers) {
  Passage passage;
  passage.rank = 1;
  passage.document = "pump.pdf";
  passage.path = "/docs/pump.pdf";
  passage.page = 12;
  passage.page_end = 13;
  passage.page_label = "x";
  passage.page_end_label = "xi";
  passage.heading = {"5 Operation", "5.2 Pressure"};
  passage.text = "Ventil öffnen";
  passage.vector_rank = 1;
  passage.similarity = 0.71F;
  const Json hit = Json::parse(to_json(std::span<const Passage>(&passage, 1)))[0];
  for (const char* key :
       {"rank", "score", "document", "path", "page", "page_end", "page_label", "page_end_label",
        "heading", "start", "end", "text", "vector", "lexical"}) {
    EXPECT_TRUE(hit.contains(key)) << key;
  }
  EXPECT_EQ(hit["vector"]["rank"], 1);
  EXPECT_TRUE(hit["lexical"].is_null());
  EXPECT_EQ(to_json(std::span<const Passage>()), "[]");
}

TEST(JsonTest, AnswersHaveTheDocumentedMembers) {
  Answer answer;
  answer.question = "Why?";
  answer.status = AnswerStatus::answered;
  answer.citations.emplace_back();
  answer.passages.emplace_back().rank = 1;
  const Json object = Json::parse(to_json(answer));
  for (const char* key : {"question", "status", "answer", "citations", "passages", "generator",
                          "timings_ms", "tokens", "error"}) {
    EXPECT_TRUE(object.contains(key)) << key;
  }
  for (const char* key : {"n", "document", "path", "page", "page_label", "start", "end", "quote",
                          "status", "stale"}) {
    EXPECT_TRUE(object["citations"][0].contains(key)) << key;
  }
  EXPECT_EQ(object["passages"][0]["n"], 1);
  EXPECT_TRUE(object["generator"].is_null());
  EXPECT_TRUE(object["error"].is_null());
  EXPECT_EQ(first_key(to_json(answer, "\"q7\"")), "id");
  EXPECT_EQ(Json::parse(to_json(answer, "7"))["id"], 7);
}

TEST(JsonTest, IndexReportsHaveTheDocumentedMembers) {
  IndexReport report;
  report.failed.push_back({"/docs/a.pdf", "it is damaged", "damaged", 3, false});
  const Json object = Json::parse(to_json(report));
  for (const char* key :
       {"added", "changed", "moved", "removed", "unchanged", "failed", "pages",
        "pages_without_text", "pages_failed", "unsupported", "chunks", "tokens", "seconds"}) {
    EXPECT_TRUE(object.contains(key)) << key;
  }
  EXPECT_EQ(object["failed"][0]["pages_read"], 3);
}

TEST(JsonTest, GenerationsAndTokensHaveTheDocumentedShape) {
  GeneratedText generated;
  generated.tokens.push_back({5, -0.5F, {{5, -0.5F}, {7, -1.25F}}});
  generated.prompt_ids = {1, 2, 3};
  const Json object = Json::parse(to_json(generated));
  EXPECT_EQ(object["ids"], Json({5}));
  EXPECT_EQ(object["logprobs"][0]["top"], Json::parse("[[5,-0.5],[7,-1.25]]"));
  EXPECT_EQ(object["timings"]["prompt_tokens"], 3);
  Tokenization tokens{{9}, {"##a"}, {{2, 3}}};
  EXPECT_EQ(to_json(tokens), R"({"ids":[9],"pieces":["##a"],"spans":[[2,3]]})");
}

TEST(JsonTest, InvalidUtf8IsReplacedAndNothingThrown) {
  Answer answer;
  answer.question = "a\xFFz";
  EXPECT_EQ(Json::parse(to_json(answer))["question"], "a\xEF\xBF\xBDz");
}

}  // namespace
}  // namespace lore
