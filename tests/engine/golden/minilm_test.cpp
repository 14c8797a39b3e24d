// MiniLM's vectors against an independent implementation in double precision.
#include <gtest/gtest.h>

#include "tests/engine/golden/golden_fixtures.hpp"
#include "tests/engine/tokenizer/tokenizer_fixtures.hpp"
#include "tests/support/fixtures.hpp"

namespace lore::test {
namespace {

using engine::Embedder;
using engine::EmbedderOptions;
using engine::Pooling;
using engine::TokenId;
using Sequences = std::vector<std::vector<TokenId>>;

/// The golden ids of every text, cut to `limit` tokens with [CLS] and [SEP] kept.
Sequences golden_ids(const std::filesystem::path& golden, std::size_t limit) {
  Sequences result;
  for (const auto& line : read_json_lines(golden / "minilm-tokens.jsonl")) {
    auto ids = line["special"].get<std::vector<TokenId>>();
    if (ids.size() > limit)
      ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(limit) - 1, ids.end() - 1);
    result.push_back(std::move(ids));
  }
  return result;
}

std::vector<float> embed(Embedder& embedder, const Sequences& sequences) {
  std::vector<float> out(sequences.size() * embedder.dimension());
  embedder.embed(sequences, out);
  return out;
}

struct Agreement {
  double largest_difference = 0;
  double lowest_cosine = 1;
  double mean_cosine = 0;
};

/// Compares the vectors of the sequences numbered in `rows` with those rows of the golden array.
Agreement compare(Embedder& embedder, const Sequences& all, const std::vector<std::size_t>& rows,
                  const Matrix& expected) {
  Sequences sequences;
  for (const std::size_t row : rows) sequences.push_back(all[row]);
  const std::vector<float> vectors = embed(embedder, sequences);
  Agreement result;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto vector = std::span(vectors).subspan(i * expected.columns, expected.columns);
    const auto golden = expected.row(rows[i]);
    const double similarity = cosine(vector, golden);
    // Relative to the length, which is 1 for normalized vectors.
    result.largest_difference =
        std::max(result.largest_difference, largest_difference(vector, golden) / norm(golden));
    result.lowest_cosine = std::min(result.lowest_cosine, similarity);
    result.mean_cosine += similarity / static_cast<double>(rows.size());
  }
  return result;
}

std::vector<std::size_t> all_rows() {
  std::vector<std::size_t> rows(52);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = i;
  return rows;
}

/// What the tables that are not the machine's choice compute: short texts of every kind, one long.
std::vector<std::size_t> rows_for(const std::string& kernels) {
  if (kernels == kWidest || full_run()) return all_rows();
  return {0, 1, 6, 13, 18, 20, 23, 27, 33, 40, 47, 9};
}

TEST(MiniLm, Float32EqualsTheReference) {
  LORE_REQUIRE_SHARED(golden, "golden");
  LORE_REQUIRE_MODEL(path, "minilm-f32");
  const Sequences ids = golden_ids(golden, 256);
  for (const std::string& kernels : kernel_names()) {
    const auto embedder = Embedder::create(load_model(path, kernels), shared_pool());
    EXPECT_EQ(embedder->pooling(), Pooling::mean);
    const Agreement agreement =
        compare(*embedder, ids, rows_for(kernels), read_npy(golden / "minilm-f32.npy"));
    EXPECT_LE(agreement.largest_difference, 2e-6) << kernels;
    EXPECT_GE(agreement.lowest_cosine, 1 - 1e-9) << kernels;
  }
}

TEST(MiniLm, Float32EqualsTheReferenceUpTo512Tokens) {
  LORE_REQUIRE_SHARED(golden, "golden");
  LORE_REQUIRE_MODEL(path, "minilm-f32");
  const auto embedder = Embedder::create(load_model(path), shared_pool());
  const Agreement agreement = compare(*embedder, golden_ids(golden, 512), all_rows(),
                                      read_npy(golden / "minilm-f32-512.npy"));
  EXPECT_LE(agreement.largest_difference, 2e-6);
  EXPECT_GE(agreement.lowest_cosine, 1 - 1e-9);
}

TEST(MiniLm, EveryPoolingWithoutNormalization) {
  LORE_REQUIRE_SHARED(golden, "golden");
  LORE_REQUIRE_MODEL(path, "minilm-f32");
  const auto model = load_model(path);
  const Sequences ids = golden_ids(golden, 256);
  for (const auto& [pooling, name] :
       {std::pair(Pooling::mean, "mean"), std::pair(Pooling::cls, "cls"),
        std::pair(Pooling::last, "last")}) {
    EmbedderOptions options;
    options.pooling = pooling;
    options.normalize = false;
    const auto embedder = Embedder::create(model, shared_pool(), options);
    const Matrix expected = read_npy(golden / (std::string("minilm-pool-") + name + ".npy"));
    const Agreement agreement = compare(*embedder, ids, all_rows(), expected);
    EXPECT_LE(agreement.largest_difference, 2e-6) << name;
    EXPECT_GE(agreement.lowest_cosine, 1 - 1e-9) << name;
  }
}

TEST(MiniLm, WithoutPoolingEveryTokenHasItsRow) {
  LORE_REQUIRE_SHARED(golden, "golden");
  LORE_REQUIRE_MODEL(path, "minilm-f32");
  EmbedderOptions options;
  options.pooling = Pooling::none;
  options.normalize = false;
  const auto embedder = Embedder::create(load_model(path), shared_pool(), options);
  const Sequences all = golden_ids(golden, 256);
  const Sequences ids = {all[6], all[0], all[13]};
  const std::size_t width = embedder->dimension();
  std::vector<float> rows((ids[0].size() + ids[1].size() + ids[2].size()) * width);
  embedder->embed(ids, rows);
  const Matrix cls = read_npy(golden / "minilm-pool-cls.npy");
  const Matrix last = read_npy(golden / "minilm-pool-last.npy");
  std::size_t at = 0;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const std::size_t text = std::vector<std::size_t>{6, 0, 13}[i];
    const auto first = std::span(rows).subspan(at * width, width);
    at += ids[i].size();
    const auto final = std::span(rows).subspan((at - 1) * width, width);
    EXPECT_LE(largest_difference(first, cls.row(text)), 2e-6 * norm(cls.row(text))) << text;
    EXPECT_LE(largest_difference(final, last.row(text)), 2e-6 * norm(last.row(text))) << text;
  }
}

TEST(MiniLm, HalfPrecisionWeights) {
  LORE_REQUIRE_SHARED(golden, "golden");
  LORE_REQUIRE_MODEL(path, "minilm");
  const Sequences ids = golden_ids(golden, 256);
  for (const std::string& kernels : kernel_names()) {
    const auto embedder = Embedder::create(load_model(path, kernels), shared_pool());
    const Agreement agreement =
        compare(*embedder, ids, rows_for(kernels), read_npy(golden / "minilm-f32.npy"));
    EXPECT_GE(agreement.lowest_cosine, 0.9999) << kernels;
  }
}

TEST(MiniLm, EightBitWeights) {
  LORE_REQUIRE_SHARED(golden, "golden");
  LORE_REQUIRE_MODEL(path, "minilm-q8_0");
  const Sequences ids = golden_ids(golden, 256);
  for (const std::string& kernels : kernel_names()) {
    const auto embedder = Embedder::create(load_model(path, kernels), shared_pool());
    const Agreement agreement =
        compare(*embedder, ids, rows_for(kernels), read_npy(golden / "minilm-f32.npy"));
    EXPECT_GE(agreement.mean_cosine, 0.999) << kernels;
    EXPECT_GE(agreement.lowest_cosine, 0.995) << kernels;
  }
}

/// From text to vector, as the index does it.
TEST(MiniLm, OwnTokenizerGivesTheSameIds) {
  LORE_REQUIRE_SHARED(golden, "golden");
  LORE_REQUIRE_MODEL(path, "minilm-f32");
  const auto embedder = Embedder::create(load_model(path), shared_pool());
  const Sequences expected = golden_ids(golden, 512);
  const auto texts = read_json_lines(golden / "texts.jsonl");
  for (std::size_t i = 0; i < texts.size(); ++i) {
    constexpr std::size_t kSpecialTokenText = 51;  // plain text to us, see wordpiece_test.cpp
    const std::string text = texts[i]["text"];
    const auto ids =
        embedder->truncate(embedder->encode(text, engine::InputType::none, i == kSpecialTokenText));
    EXPECT_EQ(ids, expected[i]) << i;
  }
}

}  // namespace
}  // namespace lore::test
