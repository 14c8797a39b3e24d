// The vector index and its published file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "base/file.hpp"
#include "index/vectors/checksum.hpp"
#include "index/vectors/generation_file.hpp"
#include "index/vectors/recall_sample.hpp"
#include "index/vectors/top_list.hpp"
#include "lore/error.hpp"
#include "tests/index/support.hpp"
#include "tests/support/fixtures.hpp"

namespace lore::index {
namespace {

using test::kDimension;
using test::unit_vector;

std::uint64_t checksum_of(std::string_view text) {
  Checksum checksum;
  checksum.update(std::as_bytes(std::span(text)));
  return checksum.finish();
}

// From the published test vectors of xxHash, seed 0.
TEST(Checksum, IsXxh64) {
  EXPECT_EQ(checksum_of(""), 0xEF46DB3751D8E999ULL);
  EXPECT_EQ(checksum_of("a"), 0xD24EC4F1A98C6E5BULL);
  EXPECT_EQ(checksum_of("abc"), 0x44BC2CF5AD770999ULL);
  EXPECT_EQ(checksum_of("Nobody inspects the spammish repetition"), 0xFBCEA83C8A378BF1ULL);
}

TEST(Checksum, DoesNotDependOnPieces) {
  std::string text;
  for (int i = 0; i < 300; ++i) text += static_cast<char>(i * 7);
  for (const std::size_t piece : {1U, 3U, 31U, 32U, 33U, 64U, 299U}) {
    Checksum checksum;
    for (std::size_t at = 0; at < text.size(); at += piece) {
      checksum.update(
          std::as_bytes(std::span(text)).subspan(at, std::min(piece, text.size() - at)));
    }
    EXPECT_EQ(checksum.finish(), checksum_of(text)) << piece;
  }
}

TEST(TopList, KeepsTheBestAndOfEqualOnesTheLowerIds) {
  for (const bool backwards : {false, true}) {
    TopList top(3);
    std::vector<TopList::Entry> entries = {{1, 0.5F}, {2, 0.9F}, {3, 0.5F}, {4, 0.5F}, {5, 0.1F}};
    if (backwards) std::reverse(entries.begin(), entries.end());
    for (const TopList::Entry& entry : entries) top.add(entry.id, entry.score);
    const auto sorted = top.sorted();
    ASSERT_EQ(sorted.size(), 3U);
    EXPECT_EQ(sorted[0].id, 2);
    EXPECT_EQ(sorted[1].id, 1);
    EXPECT_EQ(sorted[2].id, 3);
  }
  TopList none(0);
  none.add(1, 1);
  EXPECT_TRUE(none.sorted().empty());
}

class Vectors {
 public:
  explicit Vectors(std::size_t count) : ids_(count) {
    std::iota(ids_.begin(), ids_.end(), 10);
    for (std::size_t i = 0; i < count; ++i) {
      const std::vector<float> vector = unit_vector(i);
      rows_.insert(rows_.end(), vector.begin(), vector.end());
    }
  }
  VectorIndex build(std::size_t exact_codes = VectorIndex::kExactCodes) const {
    return VectorIndex::build(
        kDimension, ids_.size(),
        [&](VectorBlock block) {
          for (std::size_t at = 0; at < ids_.size(); at += 100) {
            const std::size_t size = std::min<std::size_t>(100, ids_.size() - at);
            block(std::span(ids_).subspan(at, size),
                  std::span(rows_).subspan(at * kDimension, size * kDimension));
          }
        },
        exact_codes);
  }
  const std::vector<std::int64_t>& ids() const { return ids_; }
  std::vector<std::int64_t> nearest(std::span<const float> query, std::size_t limit) const {
    TopList top(limit);
    for (std::size_t i = 0; i < ids_.size(); ++i) {
      float score = 0;
      for (std::size_t k = 0; k < kDimension; ++k) score += rows_[i * kDimension + k] * query[k];
      top.add(ids_[i], score);
    }
    std::vector<std::int64_t> found;
    for (const auto& entry : top.sorted()) found.push_back(entry.id);
    return found;
  }

 private:
  std::vector<std::int64_t> ids_;
  std::vector<float> rows_;
};

TEST(VectorIndex, IsExactBelowTheLimit) {
  const Vectors vectors(500);
  const VectorIndex index = vectors.build();
  EXPECT_EQ(index.kind(), "int8");
  EXPECT_EQ(index.size(), 500U);
  EXPECT_EQ(index.dimension(), kDimension);
  EXPECT_EQ(index.recall(), 1);
  EXPECT_EQ(index.ids(), vectors.ids());
  EXPECT_TRUE(index.holds(10, unit_vector(0)));
  EXPECT_FALSE(index.holds(10, unit_vector(1)));
  EXPECT_FALSE(index.holds(9, unit_vector(0)));
}

TEST(VectorIndex, KeepsItsRecallAboveTheLimit) {
  const Vectors vectors(5000);
  const VectorIndex index = vectors.build(1000 * kDimension);
  EXPECT_EQ(index.kind(), "ivf_sq8");
  EXPECT_EQ(index.size(), 5000U);
  EXPECT_GE(index.recall(), 0.98);
  EXPECT_EQ(index.ids(), vectors.ids());
  // Queries that are none of the vectors, as an independent measure.
  std::size_t met = 0;
  constexpr std::size_t kQueries = 50;
  for (std::uint64_t seed = 100'000; seed < 100'000 + kQueries; ++seed) {
    const std::vector<float> query = unit_vector(seed);
    const std::vector<Neighbour> found = index.lists()->search(query, RecallSample::kCandidates);
    for (const std::int64_t id : vectors.nearest(query, 20)) {
      met += std::any_of(found.begin(), found.end(),
                         [&](const Neighbour& neighbour) { return neighbour.id == id; });
    }
  }
  EXPECT_GE(static_cast<double>(met) / (20 * kQueries), 0.95);
}

class PublishedVectors : public ::testing::TestWithParam<std::size_t> {
 protected:
  PublishedVectors()
      : vectors_(2000),
        index_(vectors_.build(GetParam())),
        published_(publish_file(temporary_.path(), index_, system_files())) {}

  // Ids with what is known of their scores.
  static std::vector<std::pair<std::int64_t, float>> found(const VectorIndex& index,
                                                           std::span<const float> query) {
    std::vector<std::pair<std::int64_t, float>> result;
    if (const ListIndex* lists = index.lists()) {
      for (const Neighbour& one : lists->search(query, 20)) result.emplace_back(one.id, one.score);
    } else {
      const auto candidates = index.exact()->candidates(query, 20);
      for (const auto& one : candidates.value().best_first) result.emplace_back(one.id, one.upper);
    }
    EXPECT_GE(result.size(), 20U);
    return result;
  }

  lore::test::TemporaryFolder temporary_;
  Vectors vectors_;
  VectorIndex index_;
  PublishedFile published_;
};

TEST_P(PublishedVectors, ComeBackTheSame) {
  const VectorIndex loaded = load_published(temporary_.path(), published_);
  EXPECT_EQ(loaded.kind(), index_.kind());
  EXPECT_EQ(loaded.ids(), index_.ids());
  const std::vector<float> query = unit_vector(77'777);
  EXPECT_EQ(found(loaded, query), found(index_, query));
  EXPECT_EQ(std::filesystem::file_size(temporary_.path() / published_.name), published_.bytes);
}

TEST_P(PublishedVectors, AreRefusedWhereAnyByteDiffers) {
  const std::filesystem::path path = temporary_.path() / published_.name;
  const std::string sound = read_file(path);
  const auto code = [&](const std::string& bytes) {
    write_file_atomically(path, bytes);
    try {
      load_published(temporary_.path(), published_);
    } catch (const Error& error) {
      return error.code();
    }
    return ErrorCode::internal;
  };
  for (std::size_t at = 0; at < sound.size(); at += 1 + sound.size() / 50) {
    std::string changed = sound;
    changed[at] = static_cast<char>(changed[at] ^ 0x10);
    EXPECT_EQ(code(changed), ErrorCode::corrupt) << at;
  }
  EXPECT_EQ(code(sound.substr(0, sound.size() - 1)), ErrorCode::corrupt);
  EXPECT_EQ(code(sound + "x"), ErrorCode::corrupt);
  EXPECT_EQ(code(""), ErrorCode::corrupt);
  std::filesystem::remove(path);
  try {
    load_published(temporary_.path(), published_);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::not_found);
  }
}

TEST_P(PublishedVectors, LieOnlyInTheirFolder) {
  PublishedFile outside = published_;
  outside.name = "../" + published_.name;
  EXPECT_THROW(load_published(temporary_.path() / "x", outside), Error);
}

INSTANTIATE_TEST_SUITE_P(ExactAndLists, PublishedVectors, ::testing::Values(200'000, 100));

}  // namespace
}  // namespace lore::index
