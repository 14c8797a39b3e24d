// What a model has to compute, and where its time goes, on tiny models of known sizes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "engine/engine.hpp"
#include "lore/error.hpp"
#include "tests/engine/model/tiny_model.hpp"
#include "tests/support/fixtures.hpp"

namespace lore::engine {
namespace {

namespace test = lore::test;

// Of the tiny llama: two layers of 64 values, 4 query and 2 key-value heads of 32, 96 in between.
constexpr double kKeysAndQueries = 64 * (128 + 64 + 64);
constexpr double kLayerWeights = kKeysAndQueries + 128 * 64 + 3 * 64 * 96;
constexpr double kOutputWeights = 288 * 64;
constexpr double kAttention = 4 * 4 * 32 * 2;       // operations a query and key
constexpr double kCacheBytes = 2 * 2 * 32 * 2 * 2;  // of float16 a position

class MeasureTest : public testing::Test {
 protected:
  std::shared_ptr<const Model> load(const test::TinyModel& tiny) {
    const auto path = folder_.path() / "tiny.gguf";
    test::write_tiny_model(tiny, path);
    return Model::load(path, pool_, {.kernels = "scalar"});
  }
  static std::vector<TokenId> tokens(std::size_t count) {
    std::vector<TokenId> ids;
    for (std::size_t i = 0; i < count; ++i) ids.push_back(static_cast<TokenId>(30 + i % 200));
    return ids;
  }

  test::TemporaryFolder folder_;
  ThreadPool pool_{2};
};

Work sum_of(const std::vector<OperationTime>& operations) {
  Work work;
  for (const OperationTime& operation : operations) work += operation.work;
  return work;
}

/// Every kind of operation is there and took time; together no more than there was.
void expect_sound(const PhaseTimes& times) {
  double together = 0;
  bool kinds[3] = {};
  for (const OperationTime& operation : times.operations) {
    EXPECT_GT(operation.seconds, 0) << operation.name;
    EXPECT_GT(operation.calls, 0U) << operation.name;
    kinds[static_cast<std::size_t>(operation.kind)] = true;
    together += operation.seconds;
  }
  EXPECT_TRUE(kinds[0] && kinds[1] && kinds[2]);
  EXPECT_LE(together, times.seconds);
}

TEST_F(MeasureTest, WorkOfAPromptIsThatOfItsProductsAndAttention) {
  const auto model = load({});
  for (const std::size_t n : {1U, 17U, 96U}) {
    const Work work = prompt_work(*model, n);
    // From its attention on, the last layer computes only the last tokens, 16 at most.
    const std::size_t skipped = (n - 1) / 16 * 16;
    const auto all = static_cast<double>(n);
    const double last = all - static_cast<double>(skipped);
    const auto pairs = [](std::size_t rows) { return static_cast<double>(rows * (rows + 1)) / 2; };
    EXPECT_EQ(work.f32, 2 * (kLayerWeights * all + kKeysAndQueries * all +
                             (kLayerWeights - kKeysAndQueries) * last + kOutputWeights) +
                            kAttention / 2 * (2 * pairs(n) - pairs(skipped)));
    EXPECT_EQ(work.int8, 0);
  }
}

TEST_F(MeasureTest, WorkOfAGeneratedTokenReadsAllWeightsAndTheCache) {
  test::TinyModel tiny;
  tiny.type = DType::q8_0;
  const auto model = load(tiny);
  const Work two = decode_work(*model, 40, 2);
  EXPECT_EQ(two.int8, 2 * 2 * (2 * kLayerWeights + kOutputWeights));
  EXPECT_EQ(two.f32, kAttention * (41 + 42));
  // A panel of 16 rows holds 64 values in 1088 bytes; 96 values take a whole block more.
  const double values = 2 * (kLayerWeights + 64 * (128 - 96)) + kOutputWeights;
  EXPECT_EQ(two.bytes, 2 * values / 1024 * 1088 + kCacheBytes * (41 + 42));
}

TEST_F(MeasureTest, AWindowBoundsTheWork) {
  test::TinyModel tiny;
  tiny.architecture = "gemma3";
  const auto model = load(tiny);
  const double near = decode_work(*model, 19, 1).f32;
  const double far = decode_work(*model, 89, 1).f32;
  // One of the two layers sees 20 keys at both places.
  EXPECT_EQ(far - near, kAttention / 2 * 70);
}

TEST_F(MeasureTest, OperationsOfAGenerationAddUpToItsWork) {
  const auto model = load({});
  const GenerationTimes times = time_generation(*model, pool_, tokens(60), 7);
  expect_sound(times.prompt);
  expect_sound(times.decode);
  EXPECT_EQ(sum_of(times.prompt.operations).f32, prompt_work(*model, 60).f32);
  const Work decoded = sum_of(times.decode.operations);
  EXPECT_EQ(decoded.f32, decode_work(*model, 60, 7).f32);
  EXPECT_EQ(decoded.bytes, decode_work(*model, 60, 7).bytes);
  std::vector<std::string> names;
  for (const OperationTime& operation : times.decode.operations) names.push_back(operation.name);
  EXPECT_THAT(names, testing::IsSupersetOf({"F32 256 x 64", "F32 64 x 128", "F32 192 x 64",
                                            "F32 64 x 96", "F32 288 x 64", "attention"}));
}

TEST_F(MeasureTest, OperationsOfEmbeddingsAddUpToTheirWork) {
  test::TinyModel tiny;
  tiny.architecture = "bert";
  const auto model = load(tiny);
  // Packs of 512 tokens: some that each thread computes alone, one that both compute.
  const std::vector<std::vector<TokenId>> texts(27, tokens(90));
  const PhaseTimes times = time_embedding(*model, pool_, texts);
  expect_sound(times);
  EXPECT_EQ(sum_of(times.operations).f32, embedding_work(*model, 27, 90).f32);
  EXPECT_GT(embedding_work(*model, 2, 90).bytes, 0);
  EXPECT_EQ(embedding_work(*model, 2, 90).bytes, embedding_work(*model, 1, 90).bytes);
}

TEST_F(MeasureTest, IdsOfNoVocabularyAreRefused) {
  const auto model = load({});
  const std::vector<TokenId> ids = {1, 5000};
  EXPECT_THROW(time_generation(*model, pool_, ids, 1), Error);
  EXPECT_THROW(time_embedding(*model, pool_, {&ids, 1}), Error);
}

TEST_F(MeasureTest, LimitsArePositiveAndFinite) {
  const MachineLimits limits = measure_limits(pool_, "scalar");
  EXPECT_EQ(limits.kernels, "scalar");
  EXPECT_EQ(limits.bf16, 0);
  for (const double rate : {limits.int8, limits.f32, limits.bytes}) {
    EXPECT_TRUE(std::isfinite(rate));
    EXPECT_GT(rate, 0);
  }
  EXPECT_THROW(measure_limits(pool_, "quantum"), Error);
}

TEST(LeastTimeTest, IsThatOfTheArithmeticOrOfMemory) {
  const MachineLimits limits{.kernels = "", .int8 = 100, .bf16 = 0, .f32 = 10, .bytes = 5};
  const LeastTime computed = least_time({.int8 = 300, .f32 = 20, .bytes = 20}, limits);
  EXPECT_DOUBLE_EQ(computed.seconds, 5);
  EXPECT_EQ(computed.bound, Bound::int8);
  EXPECT_EQ(least_time({.int8 = 300, .f32 = 40}, limits).bound, Bound::f32);
  const LeastTime read = least_time({.int8 = 300, .f32 = 20, .bytes = 30}, limits);
  EXPECT_DOUBLE_EQ(read.seconds, 6);
  EXPECT_EQ(read.bound, Bound::memory);
  EXPECT_EQ(least_time({}, limits).seconds, 0);
}

}  // namespace
}  // namespace lore::engine
