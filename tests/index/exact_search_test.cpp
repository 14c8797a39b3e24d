// A search with a vector file against a scan of all stored vectors.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "index/publish.hpp"
#include "index/store/catalog.hpp"
#include "index/store/schema.hpp"
#include "index/store/vector_blob.hpp"
#include "index/store/vector_rows.hpp"
#include "index/vector_search.hpp"
#include "tests/index/support.hpp"
#include "tests/support/fixtures.hpp"

namespace lore::index {
namespace {

constexpr std::size_t kDimension = 48;

// A database with nothing but vectors in it.
class ExactSearch : public ::testing::TestWithParam<bool> {
 protected:
  ExactSearch()
      : model_(test::model(kDimension)),
        database_(temporary_.path() / "index.sqlite", OpenMode::create),
        search_(temporary_.path(), {}) {
    model_.normalized = GetParam();
    prepare_for_writing(database_, [&](Database& database) { write_model(database, model_); });
    database_.execute("PRAGMA foreign_keys = OFF");
  }

  std::vector<float> direction() {
    std::normal_distribution<float> normal;
    std::vector<float> vector(kDimension);
    for (float& value : vector) value = normal(random_);
    normalize(vector);
    return vector;
  }
  // As a model gives it: of unit length, or of any.
  std::vector<float> stored(std::vector<float> vector) {
    if (model_.normalized) return vector;
    std::uniform_real_distribution<float> exponent(-5, 5);
    // Some so long or short that products of float32 leave its range.
    const float factor =
        random_() % 10 == 0 ? std::exp2(12 * exponent(random_)) : std::exp2(exponent(random_));
    for (float& value : vector) value *= factor;
    return vector;
  }
  void add(std::size_t count, std::size_t centres) {
    std::vector<std::vector<float>> around;
    for (std::size_t i = 0; i < centres; ++i) around.push_back(direction());
    Transaction transaction(database_, Transaction::Kind::write);
    Statement insert = database_.prepare("INSERT INTO vectors(chunk_id, data) VALUES (?, ?)");
    std::vector<float> scratch;
    for (std::size_t i = 0; i < count; ++i) {
      std::vector<float> row = direction();
      if (centres > 0) {
        for (std::size_t k = 0; k < kDimension; ++k) row[k] += around[i % centres][k];
        normalize(row);
        if (i % 5 == 0) row = around[i % centres];  // many times the same
      }
      const std::vector<float> vector = stored(row);
      insert.run(++last_id_, blob_of_floats(vector, scratch));
    }
    transaction.commit();
  }
  void publish() {
    publish_generation(database_, model_,
                       {temporary_.path(), system_files(), VectorIndex::kExactCodes});
  }
  void expect_as_scanned(std::span<const float> query, std::size_t limit) {
    Transaction transaction(database_, Transaction::Kind::read);
    TopList expected(limit);
    for_each_vector(database_, kDimension, {}, [&](const auto ids, const auto rows) {
      for (std::size_t i = 0; i < ids.size(); ++i) {
        expected.add(ids[i],
                     cosine(rows.subspan(i * kDimension, kDimension), query, model_.normalized));
      }
    });
    const auto left = expected.sorted();
    const auto right = search_.search(database_, model_, query, limit, nullptr);
    ASSERT_NE(search_.generation(database_, model_), nullptr);
    ASSERT_EQ(search_.generation(database_, model_)->kind(), "int8");
    transaction.commit();
    ASSERT_EQ(left.size(), right.size());
    for (std::size_t i = 0; i < left.size(); ++i) {
      EXPECT_EQ(left[i].id, right[i].id) << "place " << i << " of " << limit;
      EXPECT_EQ(left[i].score, right[i].score) << "place " << i << " of " << limit;
    }
  }
  void expect_as_scanned() {
    for (const std::size_t limit : {1U, 10U, 60U, 1000U, 20'000U}) {
      expect_as_scanned(direction(), limit);
    }
    VectorReader reader(database_, kDimension);
    std::vector<float> row(kDimension);
    for (int i = 0; i < 5; ++i) {
      const auto id = static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(last_id_));
      if (reader.read(id, row) && normalize(row)) expect_as_scanned(row, 10);
    }
  }

  lore::test::TemporaryFolder temporary_;
  std::mt19937_64 random_{7};
  ModelFingerprint model_;
  Database database_;
  VectorSearch search_;
  std::int64_t last_id_ = 0;
};

TEST_P(ExactSearch, IsThatOfAScanOverRandomVectors) {
  add(6000, 0);
  publish();
  expect_as_scanned();
}

TEST_P(ExactSearch, IsThatOfAScanOverClustersAndDuplicates) {
  add(6000, 7);
  publish();
  expect_as_scanned();
}

TEST_P(ExactSearch, IsThatOfAScanWithNewerRowsAndRowsThatAreGone) {
  add(3000, 3);
  publish();
  add(500, 3);
  expect_as_scanned();
  for (const int share : {2, 5, 17}) {
    database_.execute("DELETE FROM vectors WHERE chunk_id % " + std::to_string(share) + " <> 0");
    expect_as_scanned();
  }
  // Of the nearest to this query, none is left.
  const std::vector<float> query = direction();
  Statement remove = database_.prepare("DELETE FROM vectors WHERE chunk_id = ?");
  for (const TopList::Entry& entry : search_.search(database_, model_, query, 15, nullptr)) {
    remove.run(entry.id);
  }
  expect_as_scanned(query, 10);
}

TEST_P(ExactSearch, IsThatOfAScanWhereAllVectorsAreTheSame) {
  const std::vector<float> same = direction();
  {
    Transaction transaction(database_, Transaction::Kind::write);
    Statement insert = database_.prepare("INSERT INTO vectors(chunk_id, data) VALUES (?, ?)");
    std::vector<float> scratch;
    while (last_id_ < 30'000) insert.run(++last_id_, blob_of_floats(same, scratch));
    transaction.commit();
  }
  publish();
  expect_as_scanned(same, 10);
  expect_as_scanned(direction(), 10);
}

INSTANTIATE_TEST_SUITE_P(UnitLengthAndAny, ExactSearch, ::testing::Bool(), [](const auto& unit) {
  return unit.param ? "normalized" : "not_normalized";
});

}  // namespace
}  // namespace lore::index
