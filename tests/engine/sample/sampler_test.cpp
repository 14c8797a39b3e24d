#include "engine/sample/sampler.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "engine/sample/exponential.hpp"
#include "engine/sample/random.hpp"
#include "lore/error.hpp"

namespace lore::engine {
namespace {

constexpr float kForbidden = -std::numeric_limits<float>::infinity();

/// All filters off: the distribution itself.
SamplingOptions plain(float temperature, std::uint64_t seed = 1) {
  SamplingOptions options;
  options.temperature = temperature;
  options.top_k = 0;
  options.top_p = 1;
  options.min_p = 0;
  options.seed = seed;
  return options;
}

std::vector<int> histogram(const SamplingOptions& options, const std::vector<float>& logits,
                           int draws) {
  Sampler sampler(options);
  std::vector<int> counts(logits.size());
  for (int i = 0; i < draws; ++i) {
    std::vector<float> copy = logits;
    ++counts.at(static_cast<std::size_t>(sampler.sample(copy)));
  }
  return counts;
}

std::vector<std::size_t> drawn(const SamplingOptions& options, const std::vector<float>& logits) {
  std::vector<std::size_t> ids;
  const std::vector<int> counts = histogram(options, logits, 3000);
  for (std::size_t id = 0; id < counts.size(); ++id) {
    if (counts[id] > 0) ids.push_back(id);
  }
  return ids;
}

std::vector<float> log_of(std::initializer_list<double> probabilities) {
  std::vector<float> logits;
  for (const double p : probabilities) logits.push_back(static_cast<float>(std::log(p)));
  return logits;
}

TEST(Random, GivesThePublishedSequenceOfXoshiro256StarStar) {
  // What the authors' C code gives from the state 1, 2, 3, 4.
  Random random(std::array<std::uint64_t, 4>{1, 2, 3, 4});
  for (const std::uint64_t expected :
       {std::uint64_t{11520}, std::uint64_t{0}, std::uint64_t{1509978240},
        std::uint64_t{1215971899390074240}, std::uint64_t{1216172134540287360},
        std::uint64_t{607988272756665600}, std::uint64_t{16172922978634559625U},
        std::uint64_t{8476171486693032832}, std::uint64_t{10595114339597558777U},
        std::uint64_t{2904607092377533576}}) {
    EXPECT_EQ(random.next(), expected);
  }
}

TEST(Random, SeedsThroughThePublishedSequenceOfSplitMix64) {
  Random seeded(0);
  Random given(std::array<std::uint64_t, 4>{0xE220A8397B1DCDAFU, 0x6E789E6AA1B965F4U,
                                            0x06C45D188009454FU, 0xF88BB8A8724C81ECU});
  for (int i = 0; i < 5; ++i) EXPECT_EQ(seeded.next(), given.next());
}

TEST(Random, IsUniformInTheUnitInterval) {
  Random random(42);
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < 20000; ++i) {
    const double value = random.uniform();
    ASSERT_GE(value, 0.0);
    ASSERT_LT(value, 1.0);
    sum += value;
    squares += value * value;
  }
  EXPECT_NEAR(sum / 20000, 0.5, 0.01);
  EXPECT_NEAR(squares / 20000, 1.0 / 3, 0.01);
}

TEST(PortableExp, IsAsExactAsTheLibrarys) {
  for (double x = 0; x > -690; x -= 0.37) {
    EXPECT_NEAR(portable_exp(x) / std::exp(x), 1.0, 1e-15) << x;
  }
  EXPECT_EQ(portable_exp(0), 1.0);
  EXPECT_EQ(portable_exp(-1e300), 0.0);
  EXPECT_EQ(portable_exp(kForbidden), 0.0);
}

TEST(Sampler, GreedyTakesTheLargestAndTheLowerIdOfATie) {
  Sampler sampler{SamplingOptions{}};
  std::vector<float> logits = {0.5F, 2.0F, -1.0F, 2.0F};
  EXPECT_EQ(sampler.sample(logits), 1);
  std::vector<float> negative = {-8.0F, -3.0F, -3.0F};
  EXPECT_EQ(sampler.sample(negative), 1);
}

TEST(Sampler, DrawsInProportionToTheProbabilities) {
  const std::vector<int> counts = histogram(plain(1), log_of({0.1, 0.6, 0.3}), 30000);
  EXPECT_NEAR(counts[0], 3000, 250);
  EXPECT_NEAR(counts[1], 18000, 400);
  EXPECT_NEAR(counts[2], 9000, 400);
}

TEST(Sampler, TemperatureFlattensAndSharpens) {
  // At temperature 2 the weights are square roots, at 1/2 squares.
  const std::vector<int> flat = histogram(plain(2), log_of({0.8, 0.2}), 30000);
  EXPECT_NEAR(flat[1] / 30000.0, std::sqrt(0.2) / (std::sqrt(0.2) + std::sqrt(0.8)), 0.015);
  const std::vector<int> sharp = histogram(plain(0.5F), log_of({0.8, 0.2}), 30000);
  EXPECT_NEAR(sharp[1] / 30000.0, 0.04 / 0.68, 0.01);
}

TEST(Sampler, PenaltiesNeitherForbidNorOverflow) {
  SamplingOptions options = plain(1);
  options.repeat_penalty = 1e-38F;
  EXPECT_THROW(validate(options), Error);
  for (const float penalty : {0.01F, 100.0F}) {
    options.repeat_penalty = penalty;
    for (const float top_p : {1.0F, 1e-30F, 0.5F}) {
      options.top_p = top_p;
      for (const float size : {3e38F, -3e38F, 1e-40F}) {
        Sampler sampler(options);
        sampler.accept(0);
        sampler.accept(1);
        std::vector<float> logits = {size, size, kForbidden};
        EXPECT_LT(sampler.sample(logits), 2) << penalty << " " << top_p << " " << size;
        EXPECT_TRUE(std::isfinite(logits[0]));
      }
    }
  }
}

TEST(Sampler, SameSeedSameTokensOtherSeedOthers) {
  const std::vector<float> logits(100, 0.0F);
  const auto sequence = [&](std::uint64_t seed) {
    Sampler sampler(plain(1, seed));
    std::vector<TokenId> ids;
    for (int i = 0; i < 20; ++i) {
      std::vector<float> copy = logits;
      ids.push_back(sampler.sample(copy));
    }
    return ids;
  };
  EXPECT_EQ(sequence(7), sequence(7));
  EXPECT_NE(sequence(7), sequence(8));
}

TEST(Sampler, TopKKeepsTheBestAndLowerIdsOfTies) {
  SamplingOptions options = plain(1);
  options.top_k = 2;
  EXPECT_THAT(drawn(options, log_of({0.1, 0.3, 0.2, 0.4})), testing::ElementsAre(1, 3));
  EXPECT_THAT(drawn(options, {1, 1, 1, 1}), testing::ElementsAre(0, 1));
}

TEST(Sampler, TopKLargerThanTheVocabularyKeepsAll) {
  SamplingOptions options = plain(1);
  options.top_k = 1000;
  EXPECT_THAT(drawn(options, {1, 1, 1}), testing::ElementsAre(0, 1, 2));
}

TEST(Sampler, TopPKeepsTheFewestThatReachTheMass) {
  SamplingOptions options = plain(1);
  options.top_p = 0.6F;
  EXPECT_THAT(drawn(options, log_of({0.15, 0.5, 0.3, 0.05})), testing::ElementsAre(1, 2));
  options.top_p = 1e-6F;
  EXPECT_THAT(drawn(options, log_of({0.15, 0.5, 0.3, 0.05})), testing::ElementsAre(1));
}

TEST(Sampler, TopPWorksOnWhatTopKLeft) {
  // Of {0.5, 0.3} the first alone has 0.625 of the mass.
  SamplingOptions options = plain(1);
  options.top_k = 2;
  options.top_p = 0.6F;
  EXPECT_THAT(drawn(options, log_of({0.15, 0.5, 0.3, 0.05})), testing::ElementsAre(1));
}

TEST(Sampler, MinPDropsWhatIsFarBelowTheBest) {
  SamplingOptions options = plain(1);
  options.min_p = 0.25F;
  EXPECT_THAT(drawn(options, log_of({0.5, 0.26, 0.14, 0.1})), testing::ElementsAre(0, 1, 2));
  options.min_p = 1;
  EXPECT_THAT(drawn(options, log_of({0.5, 0.26, 0.14, 0.1})), testing::ElementsAre(0));
}

TEST(Sampler, ForbiddenTokensAreNeverChosen) {
  const std::vector<float> logits = {kForbidden, -50.0F, kForbidden};
  EXPECT_THAT(drawn(plain(1), logits), testing::ElementsAre(1));
  EXPECT_THAT(drawn(plain(0), logits), testing::ElementsAre(1));
}

TEST(Sampler, RefusesWhatCannotBeChosenFrom) {
  const auto code = [](std::vector<float> logits, float temperature) {
    Sampler sampler(plain(temperature));
    try {
      sampler.sample(logits);
    } catch (const Error& error) {
      return error.code();
    }
    return ErrorCode::internal;
  };
  for (const float temperature : {0.0F, 1.0F}) {
    EXPECT_EQ(code({kForbidden, kForbidden}, temperature), ErrorCode::invalid_argument);
    EXPECT_EQ(code({}, temperature), ErrorCode::invalid_argument);
    EXPECT_EQ(code({1, std::nanf("")}, temperature), ErrorCode::corrupt);
    EXPECT_EQ(code({1, -kForbidden}, temperature), ErrorCode::corrupt);
  }
}

TEST(Sampler, RepeatPenaltyDividesPositiveAndMultipliesNegativeLogits) {
  SamplingOptions options;
  options.repeat_penalty = 2;
  Sampler sampler(options);
  sampler.accept(0);
  sampler.accept(1);
  std::vector<float> logits = {4, -4, 1};
  sampler.sample(logits);
  EXPECT_THAT(logits, testing::ElementsAre(2, -8, 1));
}

TEST(Sampler, FrequencyPenaltyCountsAndPresencePenaltyDoesNot) {
  SamplingOptions options;
  options.frequency_penalty = 0.5F;
  options.presence_penalty = 0.25F;
  Sampler sampler(options);
  for (const TokenId id : {2, 2, 2, 0}) sampler.accept(id);
  std::vector<float> logits = {1, 1, 1};
  sampler.sample(logits);
  EXPECT_THAT(logits, testing::ElementsAre(0.25F, 1, -0.75F));
}

TEST(Sampler, PenaltiesForgetWhatLeftTheWindow) {
  SamplingOptions options;
  options.presence_penalty = 1;
  options.penalty_window = 2;
  Sampler sampler(options);
  for (const TokenId id : {0, 1, 2, 1}) sampler.accept(id);
  std::vector<float> logits = {5, 5, 5};
  sampler.sample(logits);
  EXPECT_THAT(logits, testing::ElementsAre(5, 4, 4));
}

TEST(Sampler, IdsOutsideTheVocabularyDoNoHarm) {
  SamplingOptions options;
  options.presence_penalty = 1;
  Sampler sampler(options);
  sampler.accept(-1);
  sampler.accept(99);
  std::vector<float> logits = {0, 1};
  EXPECT_EQ(sampler.sample(logits), 1);
}

TEST(Validate, NamesTheOptionThatIsOutOfRange) {
  struct Case {
    const char* option;
    std::function<void(SamplingOptions&)> spoil;
  };
  const float nan = std::nanf("");
  const std::vector<Case> cases = {
      {"temperature", [](auto& o) { o.temperature = -0.1F; }},
      {"temperature", [nan](auto& o) { o.temperature = nan; }},
      {"top_k", [](auto& o) { o.top_k = -1; }},
      {"top_p", [](auto& o) { o.top_p = 0; }},
      {"top_p", [](auto& o) { o.top_p = 1.01F; }},
      {"min_p", [](auto& o) { o.min_p = -0.5F; }},
      {"min_p", [nan](auto& o) { o.min_p = nan; }},
      {"repeat_penalty", [](auto& o) { o.repeat_penalty = 0; }},
      {"frequency_penalty", [](auto& o) { o.frequency_penalty = 2.5F; }},
      {"presence_penalty", [](auto& o) { o.presence_penalty = -2.5F; }},
      {"penalty_window", [](auto& o) { o.penalty_window = -1; }},
  };
  EXPECT_NO_THROW(validate(SamplingOptions{}));
  for (const Case& spoilt : cases) {
    SamplingOptions options;
    spoilt.spoil(options);
    try {
      validate(options);
      ADD_FAILURE() << spoilt.option;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
      EXPECT_THAT(error.what(), testing::HasSubstr(spoilt.option));
    }
  }
}

TEST(Logprobs, AreTheLogarithmsOfTheDistribution) {
  const std::vector<float> logits = log_of({0.1, 0.6, 0.3});
  EXPECT_NEAR(logprob_of(logits, 2), std::log(0.3), 1e-6);
  const std::vector<TokenLogprob> top = top_logprobs(logits, 2);
  ASSERT_EQ(top.size(), 2U);
  EXPECT_EQ(top[0].id, 1);
  EXPECT_NEAR(top[0].logprob, std::log(0.6), 1e-6);
  EXPECT_EQ(top[1].id, 2);
}

TEST(Logprobs, StayFiniteForLargeLogitsAndClampTheCount) {
  const std::vector<float> logits = {1000, 1000, kForbidden};
  EXPECT_NEAR(logprob_of(logits, 0), std::log(0.5), 1e-6);
  const std::vector<TokenLogprob> top = top_logprobs(logits, 10);
  ASSERT_EQ(top.size(), 3U);
  EXPECT_EQ(top[0].id, 0);
  EXPECT_EQ(top[2].logprob, kForbidden);
  EXPECT_THROW(logprob_of(logits, 3), Error);
  EXPECT_THROW(logprob_of(logits, -1), Error);
}

}  // namespace
}  // namespace lore::engine
