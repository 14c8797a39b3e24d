// Vectors for several threads at the same time, on a tiny encoder.
#include "pipeline/shared_embedder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

#include "lore/error.hpp"
#include "tests/engine/model/tiny_model.hpp"
#include "tests/support/fixtures.hpp"

namespace lore::pipeline {
namespace {

using Sequences = std::vector<std::vector<engine::TokenId>>;

class SharedEmbedderTest : public testing::Test {
 protected:
  SharedEmbedderTest() {
    test::TinyModel tiny;
    tiny.architecture = "bert";
    const auto path = folder_.path() / "tiny.gguf";
    test::write_tiny_model(tiny, path);
    model_ = engine::Model::load(path, pool_);
  }

  static Sequences texts(std::size_t count, std::size_t length, int first) {
    Sequences sequences(count, std::vector<engine::TokenId>(length));
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t j = 0; j < length; ++j) {
        sequences[i][j] =
            static_cast<engine::TokenId>((static_cast<std::size_t>(first) + i + 7 * j) % 250);
      }
    }
    return sequences;
  }
  std::vector<float> alone(const Sequences& sequences) {
    const auto embedder = engine::Embedder::create(model_, pool_);
    std::vector<float> vectors(sequences.size() * embedder->dimension());
    embedder->embed(sequences, vectors);
    return vectors;
  }

  test::TemporaryFolder folder_;
  ThreadPool pool_{2};
  std::shared_ptr<const engine::Model> model_;
};

TEST_F(SharedEmbedderTest, ManyThreadsGetTheBitsThatEachGetsAlone) {
  SharedEmbedder shared(model_, pool_, {});
  const std::size_t width = shared.embedder().dimension();
  std::vector<std::future<std::vector<float>>> results;
  std::vector<Sequences> requests;
  for (int i = 0; i < 12; ++i) {
    // Small requests, and large ones that take several rounds.
    requests.push_back(i % 4 == 0 ? texts(300, 60, i) : texts(static_cast<std::size_t>(i), 9, i));
  }
  results.reserve(requests.size());
  for (const Sequences& request : requests) {
    results.push_back(
        std::async(std::launch::async, [&] { return shared.embed(request, width, true); }));
  }
  for (std::size_t i = 0; i < requests.size(); ++i) {
    EXPECT_EQ(results[i].get(), alone(requests[i])) << "request " << i;
  }
}

TEST_F(SharedEmbedderTest, ABadRequestFailsAloneAndTheOthersDoNot) {
  SharedEmbedder shared(model_, pool_, {});
  const std::size_t width = shared.embedder().dimension();
  for (int round = 0; round < 20; ++round) {
    auto bad = std::async(std::launch::async, [&] {
      const Sequences too_long = texts(1, 5000, 1);
      EXPECT_THROW(shared.embed(too_long, width, true), Error);
    });
    const Sequences good = texts(3, 12, round);
    EXPECT_EQ(shared.embed(good, width, true), alone(good));
    bad.get();
  }
}

TEST_F(SharedEmbedderTest, CutVectorsAreThoseOfAnEmbedderThatCuts) {
  SharedEmbedder shared(model_, pool_, {});
  const Sequences sequences = texts(4, 20, 3);
  const auto cutting = engine::Embedder::create(model_, pool_, {.pooling = {}, .dimensions = 10});
  std::vector<float> expected(4 * 10);
  cutting->embed(sequences, expected);
  EXPECT_EQ(shared.embed(sequences, 10, true), expected);
}

TEST_F(SharedEmbedderTest, NoTextsAreNoVectors) {
  SharedEmbedder shared(model_, pool_, {});
  EXPECT_TRUE(shared.embed({}, shared.embedder().dimension(), true).empty());
}

}  // namespace
}  // namespace lore::pipeline
