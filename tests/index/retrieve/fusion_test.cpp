// Reciprocal rank fusion.
#include "index/retrieve/fusion.hpp"

#include <gtest/gtest.h>

namespace lore::index {
namespace {

TEST(Fusion, AddsReciprocalRanks) {
  const std::vector<std::int64_t> vectors = {7, 3, 5};
  const std::vector<std::int64_t> texts = {3, 9};
  const std::vector<Fused> fused = fuse(vectors, texts);
  ASSERT_EQ(fused.size(), 4U);
  EXPECT_EQ(fused[0].id, 3);
  EXPECT_DOUBLE_EQ(fused[0].score, 1.0 / 62 + 1.0 / 61);
  EXPECT_EQ(fused[0].vector_rank, 2U);
  EXPECT_EQ(fused[0].text_rank, 1U);
  EXPECT_EQ(fused[1].id, 7);
  EXPECT_FALSE(fused[1].text_rank);
  EXPECT_EQ(fused[2].id, 9);
  EXPECT_FALSE(fused[2].vector_rank);
  EXPECT_EQ(fused[3].id, 5);
}

TEST(Fusion, BreaksTiesByTheLowerId) {
  const std::vector<std::int64_t> vectors = {8, 2};
  const std::vector<std::int64_t> texts = {4, 1};
  const std::vector<Fused> fused = fuse(vectors, texts);
  ASSERT_EQ(fused.size(), 4U);
  EXPECT_EQ(fused[0].id, 4);
  EXPECT_EQ(fused[1].id, 8);
  EXPECT_EQ(fused[2].id, 1);
  EXPECT_EQ(fused[3].id, 2);
}

TEST(Fusion, OfOneListKeepsItsOrder) {
  const std::vector<std::int64_t> texts = {9, 4, 6};
  const std::vector<Fused> fused = fuse({}, texts);
  ASSERT_EQ(fused.size(), 3U);
  EXPECT_EQ(fused[0].id, 9);
  EXPECT_EQ(fused[2].id, 6);
  EXPECT_TRUE(fuse({}, {}).empty());
}

}  // namespace
}  // namespace lore::index
