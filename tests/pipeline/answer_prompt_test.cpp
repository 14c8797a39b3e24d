#include "pipeline/answer_prompt.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lore/error.hpp"
#include "tests/pipeline/fakes.hpp"

namespace lore::pipeline {
namespace {

/// A token a byte, no chat template.
class FakeModel : public engine::Model {
 public:
  const engine::ModelInfo& info() const override { return info_; }
  const engine::Tokenizer& tokenizer() const override { return tokenizer_; }
  const engine::ChatTemplate* chat_template() const override { return nullptr; }
  std::string sha256() const override { return {}; }

 private:
  engine::ModelInfo info_;
  test::FakeTokenizer tokenizer_{bytes()};

  static std::vector<std::string> bytes() {
    std::vector<std::string> pieces;
    for (int byte = 0; byte < 256; ++byte) pieces.emplace_back(1, static_cast<char>(byte));
    return pieces;
  }
};

class AnswerPromptTest : public testing::Test {
 protected:
  static constexpr std::string_view kQuestion = "At what pressure does the pump stop?";

  std::vector<Passage> passages(std::size_t count, const std::string& title = "Manual") {
    std::vector<Passage> list(count);
    for (std::size_t i = 0; i < count; ++i) {
      list[i].rank = i + 1;
      list[i].title = title;
      list[i].text = "The pump stops at a pressure of " + std::to_string(i + 1) +
                     " bar. It starts again when the pressure has fallen by half of that.";
    }
    return list;
  }
  static std::string first_sentence(const Passage& passage) {
    return passage.text.substr(0, passage.text.find('.') + 1);
  }
  std::string text_of(const AnswerPrompt& prompt) {
    return model.tokenizer().decode(prompt.ids, true);
  }
  std::size_t fixed() {
    std::size_t size = 0;
    try {
      build_answer_prompt(model, kQuestion, passages(1), 1);
    } catch (const Error& error) {
      size =
          std::stoul(std::string(error.what()).substr(std::string(error.what()).find("have ") + 5));
    }
    return size;
  }

  FakeModel model;
};

TEST_F(AnswerPromptTest, EachPassageStandsUnderItsNumberAndTitle) {
  const auto given = passages(3);
  const AnswerPrompt prompt = build_answer_prompt(model, kQuestion, given, 5000);
  EXPECT_THAT(prompt.given, testing::ElementsAre(1, 2, 3));
  for (const Passage& passage : given) {
    EXPECT_THAT(text_of(prompt), testing::HasSubstr("[" + std::to_string(passage.rank) +
                                                    "] Manual\n" + first_sentence(passage)));
  }
}

TEST_F(AnswerPromptTest, ManyPassagesInASmallBudgetBecomeFewerOnesThatSaySomething) {
  const std::size_t budget = fixed() + 200;
  for (const std::size_t count : {2U, 5U, 15U, 40U, 500U}) {
    const AnswerPrompt prompt = build_answer_prompt(model, kQuestion, passages(count), budget);
    EXPECT_LE(prompt.ids.size(), budget);
    EXPECT_GE(prompt.given.size(), std::min<std::size_t>(count, 2)) << count;
    EXPECT_LE(prompt.given.size(), count);
    EXPECT_GE(prompt.ids.size(), budget - 100) << "the room is used";
    const std::string text = text_of(prompt);
    for (const std::size_t i : prompt.given) {
      const std::size_t head = text.find("[" + std::to_string(i) + "] Manual\n");
      ASSERT_NE(head, std::string::npos) << i << " of " << count;
      EXPECT_GE(text.find("\n\n", head) - head, 20U);
    }
  }
}

TEST_F(AnswerPromptTest, APassageThatHasNothingToSayIsLeftOutAndTheOthersKeepTheirNumbers) {
  auto given = passages(3);
  given[1].text = "Wash the filter under warm water twice a year.";
  const AnswerPrompt prompt = build_answer_prompt(model, kQuestion, given, 5000);
  EXPECT_THAT(prompt.given, testing::ElementsAre(1, 3));
  EXPECT_THAT(text_of(prompt), testing::HasSubstr("[3] Manual\n" + first_sentence(given[2])));
  EXPECT_THAT(text_of(prompt), testing::Not(testing::HasSubstr("filter")));
}

TEST_F(AnswerPromptTest, NoBudgetGivesAPromptWithoutPassages) {
  const std::size_t least = fixed();
  for (std::size_t budget = least; budget < least + 120; ++budget) {
    try {
      const AnswerPrompt prompt = build_answer_prompt(model, kQuestion, passages(9), budget);
      EXPECT_FALSE(prompt.given.empty()) << budget;
      EXPECT_LE(prompt.ids.size(), budget);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::limit_exceeded);
      EXPECT_EQ(error.context(), "--context-tokens");
    }
  }
}

TEST_F(AnswerPromptTest, ATitleThatTakesAllTheRoomIsToldAsSuch) {
  try {
    build_answer_prompt(model, kQuestion, passages(2, std::string(400, 'x')), fixed() + 300);
    FAIL() << "a prompt without a passage";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("--context-tokens"));
  }
}

TEST_F(AnswerPromptTest, RefusalsAreKnownHoweverTheyAreSpelled) {
  EXPECT_TRUE(is_refusal("Not in the passages."));
  EXPECT_TRUE(is_refusal("  not in the PASSAGES"));
  EXPECT_FALSE(is_refusal("It is not in the passages that the pump stops."));
}

}  // namespace
}  // namespace lore::pipeline
