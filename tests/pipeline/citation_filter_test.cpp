#include "pipeline/citation_filter.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

#include "tests/pipeline/fakes.hpp"

namespace lore::pipeline {
namespace {

using testing::UnorderedElementsAre;

const std::vector<std::string> kPieces = {"word", " ", "[", " [", "[1",    "[9",   "]",    "].",
                                          "1",    "2", "3", "10", "12",    "[x]",  "[2] ", "[[1",
                                          "] [3", "0", "a", "\n", " Then", " then"};

std::vector<std::size_t> first(std::size_t count) {
  std::vector<std::size_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), std::size_t{1});
  return numbers;
}

class CitationFilterTest : public testing::Test {
 protected:
  /// What the filter makes of logits that are equal but for `best`.
  std::vector<float> filtered(CitationFilter& filter, const std::string& text,
                              const std::string& best) const {
    std::vector<float> logits(tokenizer.size(), 0.0F);
    const auto id = best == "<end>" ? tokenizer.end() : *tokenizer.find(best);
    logits[static_cast<std::size_t>(id)] = 1;
    filter(text, logits);
    return logits;
  }

  std::string name(std::size_t id) const {
    return std::string(tokenizer.token(static_cast<engine::TokenId>(id)));
  }

  /// The pieces that may follow `text`.
  std::vector<std::string> left(CitationFilter& filter, const std::string& text,
                                const std::string& best = "word") const {
    const std::vector<float> logits = filtered(filter, text, best);
    std::vector<std::string> pieces;
    for (std::size_t i = 0; i < logits.size(); ++i) {
      if (!std::isinf(logits[i])) pieces.push_back(name(i));
    }
    return pieces;
  }

  std::vector<std::string> allowed(const std::string& text, std::size_t passages,
                                   const std::string& best = "word") const {
    CitationFilter filter(tokenizer);
    filter.begin(first(passages), "The passages do not say.");
    return left(filter, text, best);
  }

  test::FakeTokenizer tokenizer{kPieces};
};

TEST_F(CitationFilterTest, InsideABracketOnlyGivenNumbersFit) {
  EXPECT_THAT(allowed("It is so [", 2), UnorderedElementsAre("1", "2"));
  EXPECT_THAT(allowed("It is so [", 3), UnorderedElementsAre("1", "2", "3"));
  EXPECT_THAT(allowed("It is so [", 12), UnorderedElementsAre("1", "2", "3", "10", "12"));
}

TEST_F(CitationFilterTest, AfterADigitTheBracketClosesOrTheNumberGoesOn) {
  EXPECT_THAT(allowed("It [1", 3), UnorderedElementsAre("]", "].", "] [3"));
  EXPECT_THAT(allowed("It [1", 2), UnorderedElementsAre("]", "]."));  // "] [3" names no passage
  EXPECT_THAT(allowed("It [1", 12), UnorderedElementsAre("]", "].", "] [3", "0", "1", "2"));
}

TEST_F(CitationFilterTest, PiecesThatOpenABracketAreHeldToTheSameRule) {
  const auto pieces = allowed("It is so", 2);
  EXPECT_THAT(pieces, testing::IsSupersetOf({"word", "[", " [", "[1", "[2] "}));
  for (const char* wrong : {"[9", "[x]", "[[1"}) {
    EXPECT_THAT(pieces, testing::Not(testing::Contains(wrong)));
  }
}

TEST_F(CitationFilterTest, WithoutPassagesNoBracketOpens) {
  for (const std::string& piece : allowed("It is so", 0)) {
    EXPECT_EQ(piece.find('['), std::string::npos) << piece;
  }
}

TEST_F(CitationFilterTest, AnAnswerDoesNotEndBeforeItHasCited) {
  EXPECT_THAT(allowed("It is so.", 2, "<end>"), UnorderedElementsAre("[", " ["));
  EXPECT_THAT(allowed("It is so [1].", 2, "<end>"), testing::Contains("<end>"));
  EXPECT_THAT(allowed("The passages do not say.", 2, "<end>"), testing::Contains("<end>"));
  // Only the end is held back: whatever else the model prefers goes on.
  EXPECT_THAT(allowed("It is so", 2, "word"), testing::Contains("word"));
}

TEST_F(CitationFilterTest, NumbersBetweenTheGivenOnesDoNotFit) {
  CitationFilter filter(tokenizer);
  filter.begin({2, 12}, "The passages do not say.");
  EXPECT_THAT(left(filter, "It is so ["), UnorderedElementsAre("1", "2", "12"));
  EXPECT_THAT(left(filter, "It is so [1"), UnorderedElementsAre("2"));
  EXPECT_THAT(left(filter, "It is so [2"), UnorderedElementsAre("]", "]."));
}

TEST_F(CitationFilterTest, TheMarkNamesThePassageThatSupportsTheSentence) {
  std::vector<std::string> asked;
  CitationFilter filter(tokenizer);
  filter.begin(first(12), "The passages do not say.", [&](std::string_view sentence) {
    asked.emplace_back(sentence);
    return sentence.starts_with("It is") ? std::size_t{12} : std::size_t{0};
  });
  EXPECT_THAT(left(filter, "It is so. ["), UnorderedElementsAre("1", "12"));
  EXPECT_THAT(left(filter, "It is so ["), UnorderedElementsAre("1", "12"));
  EXPECT_THAT(left(filter, "It is so. [1"), UnorderedElementsAre("2"));
  EXPECT_THAT(left(filter, "It is so. [12"), UnorderedElementsAre("]", "]."));
  EXPECT_THAT(asked, testing::Each(testing::StartsWith("It is so")));
  // No passage supports this one, and a second mark is the model's own.
  EXPECT_THAT(left(filter, "Nobody knows. ["), UnorderedElementsAre("1", "2", "3", "10", "12"));
  EXPECT_THAT(left(filter, "It is so. [12] ["), UnorderedElementsAre("1", "2", "3", "10", "12"));
}

TEST_F(CitationFilterTest, AMarkStandsBehindWords) {
  const auto marks = testing::AnyOf(testing::Contains("["), testing::Contains("[1"),
                                    testing::Contains("[2] "), testing::Contains(" ["));
  for (const char* nothing : {"", "It is so [1].\n", "It is so [1].\n- "}) {
    EXPECT_THAT(allowed(nothing, 2), testing::Not(marks)) << nothing;
  }
  for (const char* words : {"It", "It is so [1]", "It is so [1].\n- 5 bar", "\u6C34"}) {
    EXPECT_THAT(allowed(words, 2), marks) << words;
  }
}

TEST_F(CitationFilterTest, ASentenceCitesBeforeTheNextOneBegins) {
  const auto only_marks = UnorderedElementsAre("[", " [");
  EXPECT_THAT(allowed("It is so.", 2, " Then"), only_marks);
  EXPECT_THAT(allowed("It is so.", 2, "\n"), only_marks);
  EXPECT_THAT(allowed("It is so. [1] It was so.", 2, " Then"), only_marks);
  EXPECT_THAT(allowed("- It is so", 2, "\n"), only_marks);
  EXPECT_THAT(allowed("It is so [1].", 2, " Then"), testing::Contains(" Then"));
  EXPECT_THAT(allowed("It is so. [1]", 2, " Then"), testing::Contains(" Then"));
  // These go on, or announce what follows.
  EXPECT_THAT(allowed("It is approx.", 2, " then"), testing::Contains(" then"));
  EXPECT_THAT(allowed("It is so", 2, " Then"), testing::Contains(" Then"));
  EXPECT_THAT(allowed("The steps are:", 2, "\n"), testing::Contains("\n"));
}

TEST_F(CitationFilterTest, AfterTheMarkTheModelGoesOnAsItMeantTo) {
  CitationFilter filter(tokenizer);
  filter.begin(first(2), "The passages do not say.");
  const auto best_after = [&](const std::string& text, const std::string& best) {
    const std::vector<float> logits = filtered(filter, text, best);
    const auto top = std::max_element(logits.begin(), logits.end()) - logits.begin();
    return name(static_cast<std::size_t>(top));
  };
  EXPECT_EQ(best_after("It is so.", " Then"), "[");
  EXPECT_EQ(best_after("It is so. [", "1"), "1");
  EXPECT_EQ(best_after("It is so. [1", "]"), "]");
  EXPECT_EQ(best_after("It is so. [1]", "<end>"), " Then");
  EXPECT_EQ(best_after("It is so. [1] Then it was.", "<end>"), "[");
  EXPECT_EQ(best_after("It is so. [1] Then it was. [2]", "<end>"), "<end>");
}

/// Whatever a model prefers, the text that comes out names given passages only.
TEST_F(CitationFilterTest, RandomTextsNeverNameAPassageThatWasNotGiven) {
  std::mt19937 random(7);
  for (std::size_t passages = 1; passages <= 12; ++passages) {
    CitationFilter filter(tokenizer);
    filter.begin(first(passages), "The passages do not say.");
    std::string text;
    for (int step = 0; step < 400; ++step) {
      std::vector<float> logits(tokenizer.size());
      for (float& logit : logits) logit = static_cast<float>(random() % 1000);
      filter(text, logits);
      const auto best = std::max_element(logits.begin(), logits.end());
      ASSERT_FALSE(std::isinf(*best)) << "no token is left after: " << text;
      text += tokenizer.piece(static_cast<engine::TokenId>(best - logits.begin()), false);
    }
    ASSERT_TRUE(BracketState(first(passages)).accept(text)) << text;
  }
}

TEST(BracketStateTest, RefusesWhatIsNoGivenNumber) {
  const std::vector<std::size_t> given = first(3);
  for (const char* wrong : {"[0]", "[01]", "[4]", "[]", "[a]", "[1,2]", "[ 1]", "[[1]]"}) {
    EXPECT_FALSE(BracketState(given).accept(wrong)) << wrong;
  }
  for (const char* right : {"[1]", "a [3] b [2]", "no brackets", "] alone", "[1][2]"}) {
    EXPECT_TRUE(BracketState(given).accept(right)) << right;
  }
}

}  // namespace
}  // namespace lore::pipeline
