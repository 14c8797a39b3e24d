// What a generator promises, on a tiny model of random weights.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "engine/engine.hpp"
#include "lore/error.hpp"
#include "tests/engine/model/tiny_model.hpp"
#include "tests/support/fixtures.hpp"

namespace lore::engine {
namespace {

namespace test = lore::test;

class GeneratorTest : public testing::Test {
 protected:
  GeneratorTest() {
    const auto path = folder_.path() / "tiny.gguf";
    test::TinyModel tiny;
    tiny.context = 1200;
    test::write_tiny_model(tiny, path);
    model_ = Model::load(path, pool_);
    generator_ = make(64);
    request_.prompt = {1, 30, 50, 70};
    request_.max_tokens = 20;
    request_.ignore_end = true;
  }

  std::unique_ptr<Generator> make(std::size_t context, CacheType type = CacheType::f16) {
    GeneratorOptions options;
    options.context = context;
    options.cache_type = type;
    return Generator::create(model_, pool_, options);
  }

  /// Lets only the bytes of `text` through, one token a byte.
  void force(const std::string& text) {
    request_.filter = [text, at = std::size_t{0}](std::string_view,
                                                  std::span<float> logits) mutable {
      std::fill(logits.begin(), logits.end(), -std::numeric_limits<float>::infinity());
      const auto byte = static_cast<unsigned char>(text[at++ % text.size()]);
      logits[3U + byte] = 0;  // the byte tokens start at id 3
    };
  }

  ErrorCode code_of_request() {
    try {
      generator_->generate(request_);
    } catch (const Error& error) {
      message_ = error.what();
      return error.code();
    }
    return ErrorCode::internal;
  }

  test::TemporaryFolder folder_;
  ThreadPool pool_{2};
  std::shared_ptr<const Model> model_;
  std::unique_ptr<Generator> generator_;
  GenerationRequest request_;
  std::string message_;
};

TEST_F(GeneratorTest, StreamsWhatItReturns) {
  force("h\xC3\xA9llo ");
  std::string shown;
  request_.on_text = [&](std::string_view text) {
    shown += text;
    return true;
  };
  request_.max_tokens = 14;
  const GenerationResult result = generator_->generate(request_);
  EXPECT_EQ(result.text, "h\xC3\xA9llo h\xC3\xA9llo ");
  EXPECT_EQ(shown, result.text);
  EXPECT_EQ(result.finish, Finish::length);
  EXPECT_EQ(result.tokens.size(), 14U);
  EXPECT_EQ(result.prompt_tokens, 4U);
}

TEST_F(GeneratorTest, EndsAtAStopStringAcrossTokens) {
  force("abcSTOPdef");
  request_.stop = {"STOP"};
  std::string shown;
  request_.on_text = [&](std::string_view text) {
    shown += text;
    return true;
  };
  const GenerationResult result = generator_->generate(request_);
  EXPECT_EQ(result.text, "abc");
  EXPECT_EQ(shown, "abc");
  EXPECT_EQ(result.finish, Finish::stop_string);
  EXPECT_EQ(result.tokens.size(), 7U);
}

TEST_F(GeneratorTest, EndsAtTheEndTokenUnlessToldNotTo) {
  request_.filter = [](std::string_view text, std::span<float> logits) {
    std::fill(logits.begin(), logits.end(), -std::numeric_limits<float>::infinity());
    logits[text.size() < 3 ? 3 + 'x' : 2] = 0;
  };
  request_.ignore_end = false;
  const GenerationResult result = generator_->generate(request_);
  EXPECT_EQ(result.text, "xxx");
  EXPECT_EQ(result.finish, Finish::stop);
  request_.ignore_end = true;
  EXPECT_EQ(generator_->generate(request_).finish, Finish::length);
}

TEST_F(GeneratorTest, CancelsFromTheTextAndDuringAPrompt) {
  force("ab");
  request_.on_text = [n = 0](std::string_view) mutable { return ++n < 3; };
  const GenerationResult result = generator_->generate(request_);
  EXPECT_EQ(result.finish, Finish::cancelled);
  EXPECT_EQ(result.text, "aba");

  generator_ = make(1200);
  GenerationRequest longer;
  longer.prompt.assign(1100, 40);
  longer.keep_going = [n = 0]() mutable { return ++n < 3; };  // two of three pieces
  const GenerationResult stopped = generator_->generate(longer);
  EXPECT_EQ(stopped.finish, Finish::cancelled);
  EXPECT_TRUE(stopped.tokens.empty());
  longer.keep_going = nullptr;
  longer.max_tokens = 1;
  EXPECT_EQ(generator_->generate(longer).reused_tokens, 1024U);
}

TEST_F(GeneratorTest, ALimitNamesBothNumbers) {
  request_.prompt.assign(64, 40);
  EXPECT_EQ(code_of_request(), ErrorCode::limit_exceeded);
  EXPECT_THAT(message_,
              testing::AllOf(testing::HasSubstr("64 tokens"), testing::HasSubstr("holds 64")));
  request_.prompt.assign(63, 40);
  request_.max_tokens = 100;
  EXPECT_EQ(generator_->generate(request_).tokens.size(), 1U);
  EXPECT_THROW(make(1201), Error);
}

TEST_F(GeneratorTest, RefusesWhatMakesNoSense) {
  request_.prompt = {};
  EXPECT_EQ(code_of_request(), ErrorCode::invalid_argument);
  request_.prompt = {1, static_cast<TokenId>(test::kTinyVocabulary)};
  EXPECT_EQ(code_of_request(), ErrorCode::invalid_argument);
  request_.prompt = {-1};
  EXPECT_EQ(code_of_request(), ErrorCode::invalid_argument);
  request_.prompt = {1};
  request_.sampling.temperature = -1;
  EXPECT_EQ(code_of_request(), ErrorCode::invalid_argument);
  request_.sampling.temperature = 0;
  request_.filter = [](std::string_view, std::span<float> logits) {
    std::fill(logits.begin(), logits.end(), -std::numeric_limits<float>::infinity());
  };
  EXPECT_EQ(code_of_request(), ErrorCode::invalid_argument);
}

TEST_F(GeneratorTest, LogProbabilitiesAreTheModelsOwn) {
  request_.logprobs = 3;
  request_.max_tokens = 2;
  const std::vector<float> logits = generator_->logits(request_.prompt);
  const auto last = logits.end() - static_cast<std::ptrdiff_t>(test::kTinyVocabulary);
  force("z");
  const GenerationResult result = generator_->generate(request_);
  double sum = 0;
  for (auto x = last; x != logits.end(); ++x) sum += std::exp(static_cast<double>(*x));
  const double expected = static_cast<double>(last[3 + 'z']) - std::log(sum);
  EXPECT_NEAR(result.tokens[0].logprob, expected, 1e-5);
  ASSERT_EQ(result.tokens[0].top.size(), 3U);
  EXPECT_EQ(result.tokens[0].top[0].id, std::max_element(last, logits.end()) - last);
}

TEST_F(GeneratorTest, CachesOfEveryTypeAgreeClosely) {
  request_.max_tokens = 1;
  const std::vector<float> exact = make(64, CacheType::f32)->logits(request_.prompt);
  for (const auto& [type, tolerance] :
       {std::pair{CacheType::f16, 0.02F}, std::pair{CacheType::q8_0, 0.2F}}) {
    const std::vector<float> other = make(64, type)->logits(request_.prompt);
    EXPECT_NE(other, exact) << "the cache is not used";
    EXPECT_THAT(other, testing::Pointwise(testing::FloatNear(tolerance), exact));
  }
}

TEST_F(GeneratorTest, ValuesPastWhatTheCacheHoldsStayFinite) {
  test::TinyModel tiny;
  tiny.factors["blk.0.attn_v.weight"] = 1e9F;
  test::write_tiny_model(tiny, folder_.path() / "large.gguf");
  model_ = Model::load(folder_.path() / "large.gguf", pool_);
  for (const CacheType type : {CacheType::f32, CacheType::f16, CacheType::q8_0}) {
    for (const float x : make(64, type)->logits(request_.prompt)) ASSERT_TRUE(std::isfinite(x));
  }
}

TEST_F(GeneratorTest, RowsPastTheTokenizersVocabularyAreNoTokens) {
  constexpr std::size_t kRows = test::kTinyVocabulary + 12;
  test::TinyModel tiny;
  for (const char* name : {"token_embd.weight", "output.weight"}) {
    tiny.shapes[name] = {tiny.hidden, kRows};
  }
  test::write_tiny_model(tiny, folder_.path() / "padded.gguf");
  model_ = Model::load(folder_.path() / "padded.gguf", pool_);
  generator_ = make(64);
  std::size_t seen = 0;
  request_.filter = [&](std::string_view, std::span<float> logits) { seen = logits.size(); };
  request_.max_tokens = 1;
  request_.logprobs = test::kTinyVocabulary;
  const GenerationResult result = generator_->generate(request_);
  EXPECT_EQ(seen, test::kTinyVocabulary);
  double sum = 0;
  for (const TokenLogprob& top : result.tokens[0].top) {
    EXPECT_LT(static_cast<std::size_t>(top.id), test::kTinyVocabulary);
    sum += std::exp(static_cast<double>(top.logprob));
  }
  EXPECT_NEAR(sum, 1, 1e-5);
  request_.logprobs = test::kTinyVocabulary + 1;
  EXPECT_EQ(code_of_request(), ErrorCode::invalid_argument);
}

TEST_F(GeneratorTest, TheFilterSeesEveryByteGenerated) {
  const std::string all = "\xC3\xA9 ST.";  // a character in two tokens, then what may be a stop
  force(all);
  std::vector<std::string> seen;
  request_.filter = [&seen, inner = request_.filter](std::string_view text,
                                                     std::span<float> logits) {
    seen.emplace_back(text);
    inner(text, logits);
  };
  request_.stop = {"STOP"};
  request_.max_tokens = all.size();
  generator_->generate(request_);
  ASSERT_EQ(seen.size(), all.size());
  for (std::size_t i = 0; i < seen.size(); ++i) EXPECT_EQ(seen[i], all.substr(0, i));
}

TEST_F(GeneratorTest, TheSameSeedGivesTheSameText) {
  request_.sampling.temperature = 1.5F;
  request_.sampling.seed = 7;
  const std::string first = generator_->generate(request_).text;
  EXPECT_EQ(generator_->generate(request_).text, first);
  request_.sampling.seed = 8;
  EXPECT_NE(generator_->generate(request_).text, first);
}

TEST_F(GeneratorTest, AGeneratorEmbedsWithEveryPooling) {
  const std::vector<std::vector<TokenId>> texts = {{1, 30, 50}, {70}};
  EmbedderOptions options;
  options.pooling = Pooling::none;
  options.normalize = false;
  const auto rows_embedder = Embedder::create(model_, pool_, options);
  const std::size_t width = rows_embedder->dimension();
  std::vector<float> rows(4 * width);
  rows_embedder->embed(texts, rows);
  for (const auto& [pooling, row] : {std::pair{Pooling::cls, 0U}, std::pair{Pooling::last, 2U}}) {
    options.pooling = pooling;
    std::vector<float> pooled(2 * width);
    Embedder::create(model_, pool_, options)->embed(texts, pooled);
    for (std::size_t i = 0; i < width; ++i) {
      EXPECT_EQ(pooled[i], rows[row * width + i]);
      EXPECT_EQ(pooled[width + i], rows[3 * width + i]);
    }
  }
  options.pooling = Pooling::mean;
  options.normalize = true;
  options.dimensions = 10;
  std::vector<float> cut(20);
  Embedder::create(model_, pool_, options)->embed(texts, cut);
  double squares = 0;
  for (std::size_t i = 0; i < 10; ++i) squares += static_cast<double>(cut[i]) * cut[i];
  EXPECT_NEAR(squares, 1, 1e-6);
}

TEST_F(GeneratorTest, EmbeddersSayWhatIsTooLongOrEmpty) {
  const auto embedder = Embedder::create(model_, pool_);
  std::vector<float> out(embedder->dimension());
  try {
    embedder->embed(std::vector<std::vector<TokenId>>{std::vector<TokenId>(1201, 5)}, out);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::limit_exceeded);
    EXPECT_THAT(error.what(),
                testing::AllOf(testing::HasSubstr("1201"), testing::HasSubstr("1200")));
  }
  EXPECT_THROW(embedder->embed(std::vector<std::vector<TokenId>>{{}}, out), Error);
  EXPECT_THROW(embedder->embed(std::vector<std::vector<TokenId>>{{9999}}, out), Error);
  out.resize(3);
  EXPECT_THROW(embedder->embed(std::vector<std::vector<TokenId>>{{5}}, out), Error);
  EmbedderOptions wide;
  wide.dimensions = 65;
  EXPECT_THROW(Embedder::create(model_, pool_, wide), Error);
}

TEST_F(GeneratorTest, TruncationKeepsWhatTheModelAdds) {
  const auto embedder = Embedder::create(model_, pool_);
  const auto ids = embedder->encode("a b c d e f", InputType::none);
  ASSERT_GT(ids.size(), 4U);
  EXPECT_EQ(ids.front(), 1) << "the tiny model puts <s> first";
  const auto cut = embedder->truncate(ids, 4);
  EXPECT_EQ(cut, std::vector<TokenId>(ids.begin(), ids.begin() + 4));

  test::TinyModel bert;
  bert.architecture = "bert";
  test::write_tiny_model(bert, folder_.path() / "bert.gguf");
  const auto encoder = Embedder::create(Model::load(folder_.path() / "bert.gguf", pool_), pool_);
  const auto words = encoder->encode("a b c d e f", InputType::none);
  ASSERT_EQ(words.size(), 8U);
  EXPECT_EQ(encoder->truncate(words, 4),
            (std::vector<TokenId>{words[0], words[1], words[2], words[7]}));
}

}  // namespace
}  // namespace lore::engine
