// Files that lie, lack or exaggerate must end in an Error, never in a crash.
#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "engine/engine.hpp"
#include "lore/error.hpp"
#include "tests/engine/model/tiny_model.hpp"
#include "tests/support/fixtures.hpp"

namespace lore::engine {
namespace {

using lore::test::TinyModel;
namespace test = lore::test;

class BadModels : public testing::TestWithParam<std::string> {
 protected:
  TinyModel tiny() const {
    TinyModel model;
    model.architecture = GetParam();
    return model;
  }

  /// Loads the model and, where that works, embeds and generates with it.
  void use(const TinyModel& tiny) {
    const auto path = folder_.path() / "tiny.gguf";
    test::write_tiny_model(tiny, path);
    const auto model = Model::load(path, pool_);
    const auto embedder = Embedder::create(model, pool_);
    const std::vector<std::vector<TokenId>> texts = {{1, 5, 9}, {2}};
    std::vector<float> vectors(2 * embedder->dimension());
    embedder->embed(texts, vectors);
    if (!model->info().generates) return;
    GeneratorOptions options;
    options.context = std::min<std::size_t>(model->info().context, 64);
    const auto generator = Generator::create(model, pool_, options);
    GenerationRequest request;
    request.prompt = {1, 2, 3};
    request.max_tokens = 4;
    generator->generate(request);
  }

  ErrorCode code_of(const TinyModel& tiny, std::string* message = nullptr) {
    try {
      use(tiny);
    } catch (const Error& error) {
      if (message != nullptr) *message = error.what();
      return error.code();
    }
    return ErrorCode::internal;
  }

  test::TemporaryFolder folder_;
  ThreadPool pool_{2};
};

TEST_P(BadModels, TheWholeOneWorks) { EXPECT_NO_THROW(use(tiny())); }

TEST_P(BadModels, AMissingTensorIsNamed) {
  for (const std::string& name : test::tiny_tensors(tiny())) {
    const bool optional = name == "output.weight" || name == "token_types.weight" ||
                          (GetParam() == "bert" && name.find("norm") == std::string::npos &&
                           name.find(".bias") != std::string::npos);
    TinyModel model = tiny();
    model.without_tensors = {name};
    std::string message;
    if (optional) {
      EXPECT_NO_THROW(use(model)) << name;
    } else {
      EXPECT_EQ(code_of(model, &message), ErrorCode::corrupt) << name;
      EXPECT_NE(message.find(name), std::string::npos) << message;
      EXPECT_NE(message.find("tiny.gguf"), std::string::npos) << message;
    }
  }
}

TEST_P(BadModels, AWrongShapeIsNamed) {
  for (const std::string& name : test::tiny_tensors(tiny())) {
    TinyModel model = tiny();
    model.shapes[name] = {32, 3};
    std::string message;
    EXPECT_EQ(code_of(model, &message), ErrorCode::corrupt) << name;
    EXPECT_NE(message.find("tiny.gguf"), std::string::npos) << message;
  }
}

TEST_P(BadModels, AMissingKeyIsAnErrorOrHasADefault) {
  for (const std::string& key : test::tiny_keys(tiny())) {
    TinyModel model = tiny();
    model.keys[key] = std::nullopt;
    try {
      use(model);
    } catch (const Error& error) {
      EXPECT_NE(error.code(), ErrorCode::internal) << key;
      EXPECT_NE(std::string(error.what()).find("tiny.gguf"), std::string::npos) << error.what();
    }
  }
}

TEST_P(BadModels, NumbersOutOfRangeNeverCrash) {
  const std::vector<gguf::Value> lies = {
      std::uint64_t{0},
      std::uint64_t{1},
      std::uint64_t{3},
      std::uint64_t{63},
      std::uint64_t{65},
      std::uint64_t{1} << 31,
      std::numeric_limits<std::uint64_t>::max(),
      std::int64_t{-1},
      -1.0,
      0.0,
      1e300,
      std::numeric_limits<double>::quiet_NaN(),
      std::string("seven"),
      true,
  };
  for (const std::string& key : test::tiny_keys(tiny())) {
    if (key.rfind("tokenizer.ggml.tok", 0) == 0 || key == "tokenizer.ggml.scores") continue;
    for (std::size_t i = 0; i < lies.size(); ++i) {
      TinyModel model = tiny();
      model.keys[key] = lies[i];
      try {
        use(model);
      } catch (const Error& error) {
        EXPECT_NE(error.code(), ErrorCode::internal) << key << " lie " << i << error.what();
      }
    }
  }
}

TEST_P(BadModels, SeveralLiesAtOnceNeverCrash) {
  std::mt19937 random(3);
  const std::vector<std::string> names = {"block_count",
                                          "context_length",
                                          "embedding_length",
                                          "feed_forward_length",
                                          "attention.head_count",
                                          "attention.head_count_kv",
                                          "attention.key_length",
                                          "attention.value_length",
                                          "rope.dimension_count",
                                          "rope.scaling.factor",
                                          "rope.scaling.original_context_length",
                                          "attention.sliding_window",
                                          "attention.sliding_window_pattern"};
  const std::vector<std::uint64_t> numbers = {0, 1, 2, 4, 7, 8, 16, 32, 64, 96, 128, 1U << 20};
  for (int round = 0; round < 150; ++round) {
    TinyModel model = tiny();
    for (int i = 0; i < 3; ++i) {
      const std::string& name = names[random() % names.size()];
      model.keys[GetParam() + "." + name] = numbers[random() % numbers.size()];
    }
    if (random() % 2 == 0) model.keys[GetParam() + ".rope.scaling.type"] = std::string("yarn");
    try {
      use(model);
    } catch (const Error& error) {
      EXPECT_NE(error.code(), ErrorCode::internal) << error.what();
    }
  }
}

TEST_P(BadModels, WeightsThatAreNoNumbersAreSaidToBeDamaged) {
  for (const float factor :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    for (const char* name : {"token_embd.weight", "blk.1.attn_v.weight", "blk.0.ffn_down.weight"}) {
      TinyModel model = tiny();
      model.factors[name] = factor;
      std::string message;
      EXPECT_EQ(code_of(model, &message), ErrorCode::corrupt) << name;
      EXPECT_NE(message.find("tiny.gguf"), std::string::npos) << message;
      EXPECT_NE(message.find("get it again"), std::string::npos) << message;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Families, BadModels, testing::Values("bert", "llama", "qwen2", "gemma3"));

TEST(BadModel, AnUnknownArchitectureIsNamedWithTheKnownOnes) {
  const test::TemporaryFolder folder;
  ThreadPool pool(1);
  TinyModel tiny;
  tiny.keys["general.architecture"] = std::string("mamba");
  const auto path = folder.path() / "tiny.gguf";
  test::write_tiny_model(tiny, path);
  try {
    Model::load(path, pool);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unsupported);
    const std::string message = error.what();
    for (const char* word : {"mamba", "tiny.gguf", "bert", "llama", "qwen2", "gemma3"}) {
      EXPECT_NE(message.find(word), std::string::npos) << message;
    }
  }
}

TEST(BadModel, AMixtureOfExpertsAndAnUnknownRopeScalingAreRefused) {
  const test::TemporaryFolder folder;
  ThreadPool pool(1);
  const auto path = folder.path() / "tiny.gguf";
  for (const auto& [key, value] : std::vector<std::pair<std::string, gguf::Value>>{
           {"llama.expert_count", std::uint64_t{8}},
           {"llama.rope.scaling.type", std::string("longrope")},
           {"llama.attention.value_length", std::uint64_t{16}}}) {
    TinyModel tiny;
    tiny.keys[key] = value;
    test::write_tiny_model(tiny, path);
    try {
      Model::load(path, pool);
      FAIL() << "no error for " << key;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::unsupported) << key;
    }
  }
}

TEST(BadModel, TooManyQueryHeadsOfOneKeyAreRefused) {
  const test::TemporaryFolder folder;
  ThreadPool pool(1);
  const auto path = folder.path() / "tiny.gguf";
  TinyModel tiny;
  tiny.head_dim = 2;
  tiny.kv_heads = 1;
  tiny.heads = 64;
  test::write_tiny_model(tiny, path);
  EXPECT_NO_THROW(Model::load(path, pool));
  tiny.heads = 65;
  test::write_tiny_model(tiny, path);
  try {
    Model::load(path, pool);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unsupported);
    EXPECT_NE(std::string(error.what()).find("65 query heads"), std::string::npos) << error.what();
  }
}

TEST(BadModel, AnEncoderCannotGenerate) {
  const test::TemporaryFolder folder;
  ThreadPool pool(1);
  TinyModel tiny;
  tiny.architecture = "bert";
  const auto path = folder.path() / "tiny.gguf";
  test::write_tiny_model(tiny, path);
  EXPECT_THROW(Generator::create(Model::load(path, pool), pool), Error);
}

}  // namespace
}  // namespace lore::engine
