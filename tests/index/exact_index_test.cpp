// The search over codes gives what a scan of the floats gives: the same ids, the same scores.
#include "index/vectors/exact_index.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "index/vector_search.hpp"
#include "index/vectors/quantize.hpp"
#include "index/vectors/top_list.hpp"
#include "lore/error.hpp"
#include "tests/index/support.hpp"

namespace lore::index {
namespace {

using simd::ScanTable;

std::vector<const ScanTable*> tables() {
  std::vector<const ScanTable*> tables;
  const simd::CpuFeatures features = simd::detect_cpu_features();
  for (const simd::Level level : simd::available_levels(features)) {
    const ScanTable* const table = &simd::scan_table(features, level);
    if (tables.empty() || tables.back() != table) tables.push_back(table);
  }
  return tables;
}

// Vectors of one dimension with the ids 10, 20, 30, …
class Rows {
 public:
  explicit Rows(std::size_t dimension) : dimension_(dimension) {}

  void add(std::span<const float> row) {
    ids_.push_back(static_cast<std::int64_t>(10 * (ids_.size() + 1)));
    values_.insert(values_.end(), row.begin(), row.end());
  }
  std::size_t size() const { return ids_.size(); }
  std::size_t dimension() const { return dimension_; }
  std::span<const std::int64_t> ids() const { return ids_; }
  std::span<const float> row(std::size_t r) const {
    return std::span(values_).subspan(r * dimension_, dimension_);
  }
  ExactIndex index() const {
    return ExactIndex::build(dimension_, size(), [&](VectorBlock block) {
      constexpr std::size_t kBlock = 100;
      for (std::size_t at = 0; at < size(); at += kBlock) {
        const std::size_t count = std::min(kBlock, size() - at);
        block(std::span(ids_).subspan(at, count),
              std::span(values_).subspan(at * dimension_, count * dimension_));
      }
    });
  }
  float score(std::size_t r, std::span<const float> query) const {
    return cosine(row(r), query, true);
  }

 private:
  std::size_t dimension_;
  std::vector<std::int64_t> ids_;
  std::vector<float> values_;  // [size, dimension]
};

using Random = std::mt19937_64;

std::vector<float> direction(Random& random, std::size_t dimension) {
  std::normal_distribution<float> normal;
  std::vector<float> vector(dimension);
  do {
    for (float& value : vector) value = normal(random);
  } while (!normalize(vector));
  return vector;
}

// Near `centre`: at a distance of about `spread`.
std::vector<float> near(Random& random, std::span<const float> centre, float spread) {
  std::vector<float> vector = direction(random, centre.size());
  for (std::size_t i = 0; i < centre.size(); ++i) vector[i] = centre[i] + spread * vector[i];
  normalize(vector);
  return vector;
}

// What candidates() promises of each row, and what the best of them are.
void expect_exact(const Rows& rows, const ExactIndex& index, std::span<const float> query,
                  std::size_t wanted, const ScanTable& scan, const std::string& what) {
  const auto found = index.candidates(query, wanted, scan);
  ASSERT_TRUE(found) << what;
  TopList expected(wanted);
  TopList listed(wanted);
  std::size_t met = 0;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const std::int64_t id = rows.ids()[r];
    const float score = rows.score(r, query);
    expected.add(id, score);
    const auto place = std::find_if(found->best_first.begin(), found->best_first.end(),
                                    [&](const auto& candidate) { return candidate.id == id; });
    if (place == found->best_first.end()) {
      EXPECT_LT(score, found->floor) << what << ", id " << id;
    } else {
      EXPECT_LE(score, place->upper) << what << ", id " << id;
      listed.add(id, score);
      ++met;
    }
  }
  EXPECT_EQ(met, found->best_first.size()) << what;
  const auto left = expected.sorted();
  const auto right = listed.sorted();
  ASSERT_EQ(left.size(), right.size()) << what;
  for (std::size_t i = 0; i < left.size(); ++i) {
    EXPECT_EQ(left[i].id, right[i].id) << what << ", place " << i;
    EXPECT_EQ(left[i].score, right[i].score) << what << ", place " << i;
  }
}

class ExactIndexTest : public ::testing::TestWithParam<const ScanTable*> {
 protected:
  const ScanTable& scan() const { return *GetParam(); }
};

TEST_P(ExactIndexTest, HoldsOverAllDimensions) {
  Random random(1);
  for (std::size_t dimension = 1; dimension <= 257; ++dimension) {
    Rows rows(dimension);
    for (int i = 0; i < 40; ++i) rows.add(direction(random, dimension));
    const ExactIndex index = rows.index();
    expect_exact(rows, index, direction(random, dimension), 5, scan(), std::to_string(dimension));
    expect_exact(rows, index, rows.row(7), 1, scan(), std::to_string(dimension));
  }
}

TEST_P(ExactIndexTest, HoldsOverRandomAndClusteredVectors) {
  Random random(2);
  for (const std::size_t dimension : {48U, 384U}) {
    for (const float spread : {0.01F, 0.3F, 1.0F, 100.0F}) {
      std::vector<std::vector<float>> centres;
      for (int i = 0; i < 5; ++i) centres.push_back(direction(random, dimension));
      Rows rows(dimension);
      for (std::size_t i = 0; i < 3000; ++i) rows.add(near(random, centres[i % 5], spread));
      const ExactIndex index = rows.index();
      for (const std::size_t wanted : {1U, 10U, 36U, 500U}) {
        const std::vector<float> query = near(random, centres[wanted % 5], spread);
        expect_exact(rows, index, query, wanted, scan(),
                     "dimension " + std::to_string(dimension) + ", spread " +
                         std::to_string(spread) + ", wanted " + std::to_string(wanted));
      }
    }
  }
}

TEST_P(ExactIndexTest, RulesMostVectorsOut) {
  Random random(3);
  constexpr std::size_t kDimension = 384;
  const std::vector<float> lean = direction(random, kDimension);
  for (const float spread : {100.0F, 0.3F, 0.1F}) {  // from all directions to nearly one
    Rows rows(kDimension);
    for (int i = 0; i < 10'000; ++i) rows.add(near(random, lean, spread));
    const auto found = rows.index().candidates(near(random, lean, spread), 10, scan());
    ASSERT_TRUE(found);
    EXPECT_GE(found->best_first.size(), 10U);
    EXPECT_LE(found->best_first.size(), 200U) << spread;
  }
}

// Many vectors whose scores lie within 1e-7 of the tenth: below what float32 can tell apart.
TEST_P(ExactIndexTest, TellsNearTiesApartAsFloatsDo) {
  Random random(4);
  for (const std::size_t dimension : {16U, 100U, 384U}) {
    const std::vector<float> query = direction(random, dimension);
    // All at the same angle to the query.
    Rows rows(dimension);
    std::vector<float> other = direction(random, dimension);
    for (int i = 0; i < 2000; ++i) {
      if (i % 20 == 0) other = direction(random, dimension);
      double product = 0;
      for (std::size_t k = 0; k < dimension; ++k) product += double{other[k]} * query[k];
      std::vector<float> row(dimension);
      double norm = 0;
      for (std::size_t k = 0; k < dimension; ++k) {
        row[k] = static_cast<float>(other[k] - product * query[k]);
        norm += double{row[k]} * row[k];
      }
      const double tilt = 0.6 + 1e-8 * (i % 7);
      for (std::size_t k = 0; k < dimension; ++k) {
        row[k] = static_cast<float>(tilt * query[k] +
                                    std::sqrt(1 - tilt * tilt) * row[k] / std::sqrt(norm));
      }
      rows.add(row);
    }
    const ExactIndex index = rows.index();
    std::size_t tied = 0;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      tied += std::abs(rows.score(r, query) - 0.6F) < 2e-7F;
    }
    EXPECT_GT(tied, 1900U);
    for (const std::size_t wanted : {1U, 10U, 100U}) {
      expect_exact(rows, index, query, wanted, scan(), std::to_string(dimension));
    }
  }
}

TEST_P(ExactIndexTest, HoldsWithDuplicatesZerosAndExtremes) {
  Random random(5);
  constexpr std::size_t kDimension = 70;
  const std::vector<float> query = direction(random, kDimension);
  std::vector<float> against = query;
  for (float& value : against) value = -value;
  std::vector<float> single(kDimension, 0);
  single[69] = 1;
  std::vector<float> tiny(kDimension, 1e-30F);
  std::vector<float> huge = query;
  for (float& value : huge) value *= 1e18F;
  std::vector<float> slightly = query;
  for (float& value : slightly) value *= 1e-6F;
  Rows rows(kDimension);
  for (int i = 0; i < 60; ++i) {
    rows.add(query);
    rows.add(std::vector<float>(kDimension, 0));
    rows.add(against);
    rows.add(single);
    rows.add(tiny);
    rows.add(huge);
    rows.add(slightly);
    rows.add(direction(random, kDimension));
  }
  const ExactIndex index = rows.index();
  for (const std::size_t wanted : {1U, 10U, 61U, 300U, 479U, 480U, 481U, 100'000U}) {
    expect_exact(rows, index, query, wanted, scan(), std::to_string(wanted));
    expect_exact(rows, index, single, wanted, scan(), std::to_string(wanted));
  }
}

TEST_P(ExactIndexTest, HoldsForOneVectorAndNone) {
  Random random(6);
  Rows rows(384);
  const std::vector<float> query = direction(random, 384);
  EXPECT_TRUE(rows.index().candidates(query, 10, scan())->best_first.empty());
  rows.add(direction(random, 384));
  for (const std::size_t wanted : {1U, 2U, 1000U}) {
    expect_exact(rows, rows.index(), query, wanted, scan(), "one");
  }
  EXPECT_TRUE(rows.index().candidates(query, 0, scan())->best_first.empty());
}

// Scores that rise from row to row: each is better than all before it.
TEST_P(ExactIndexTest, HoldsWhereEveryRowIsTheBestSoFar) {
  Random random(7);
  const std::vector<float> query = direction(random, 64);
  Rows rows(64);
  for (int i = 0; i < 5000; ++i) {
    rows.add(near(random, query, 20.0F / (1.0F + static_cast<float>(i) / 100)));
  }
  expect_exact(rows, rows.index(), query, 10, scan(), "rising");
}

INSTANTIATE_TEST_SUITE_P(EveryTable, ExactIndexTest, ::testing::ValuesIn(tables()),
                         [](const auto& table) { return std::string(table.param->name); });

TEST(ExactIndex, SaysWhereAllAreToBeCompared) {
  Random random(8);
  const std::vector<float> same = direction(random, 8);
  Rows rows(8);
  for (int i = 0; i < 30'000; ++i) rows.add(same);
  const ExactIndex index = rows.index();
  EXPECT_FALSE(index.candidates(same, 10));
  EXPECT_FALSE(index.candidates(std::vector<float>(8, 0), 10));
  EXPECT_FALSE(index.candidates(std::vector<float>(8, NAN), 10));
  EXPECT_FALSE(index.candidates(std::vector<float>(8, INFINITY), 10));
}

TEST(ExactIndex, KeepsRowsThatAreNoNumbersAsCandidates) {
  Random random(9);
  Rows rows(16);
  for (int i = 0; i < 100; ++i) rows.add(direction(random, 16));
  rows.add(std::vector<float>(16, NAN));
  rows.add(std::vector<float>(16, INFINITY));
  rows.add(std::vector<float>(16, 3e38F));
  const auto found = rows.index().candidates(direction(random, 16), 3);
  ASSERT_TRUE(found);
  std::vector<std::int64_t> ids;
  for (const auto& candidate : found->best_first) ids.push_back(candidate.id);
  EXPECT_THAT(ids, ::testing::IsSupersetOf({1010, 1020, 1030}));
  EXPECT_LT(ids.size(), 50U);
}

TEST(ExactIndex, HoldsExactlyWhatItWasBuiltOf) {
  Random random(10);
  Rows rows(100);
  for (int i = 0; i < 50; ++i) rows.add(direction(random, 100));
  const ExactIndex index = rows.index();
  EXPECT_EQ(index.size(), 50U);
  EXPECT_EQ(index.dimension(), 100U);
  EXPECT_TRUE(index.holds(30, rows.row(2)));
  EXPECT_FALSE(index.holds(31, rows.row(2)));
  EXPECT_FALSE(index.holds(40, rows.row(2)));
  std::vector<float> changed(rows.row(2).begin(), rows.row(2).end());
  changed[99] += 0.001F;
  EXPECT_FALSE(index.holds(30, changed));
}

TEST(ExactIndex, RefusesVectorsThatAreNotAsCounted) {
  const std::vector<float> values(32, 0.25F);
  const auto build = [&](std::size_t count, std::vector<std::int64_t> ids) {
    return ExactIndex::build(16, count, [&](VectorBlock block) {
      block(ids, std::span(values).first(16 * ids.size()));
    });
  };
  EXPECT_EQ(build(2, {1, 2}).size(), 2U);
  EXPECT_THROW(build(3, {1, 2}), Error);
  EXPECT_THROW(build(1, {1, 2}), Error);
  EXPECT_THROW(build(2, {2, 1}), Error);
  EXPECT_THROW(build(2, {1, 1}), Error);
}

// The bound of quantize.hpp, formula (2), against products in double.
TEST(Quantize, BoundsWhatTheCodesHide) {
  Random random(11);
  std::uniform_real_distribution<float> exponent(-20, 0);
  const auto stretch = [&](std::vector<float>& values, float factor) {
    for (float& value : values) value *= factor;
  };
  for (int round = 0; round < 3000; ++round) {
    const std::size_t dimension = 1 + random() % 300;
    const std::vector<float> lean =
        round % 4 == 0 ? std::vector<float>(dimension, 0) : direction(random, dimension);
    const float spread = std::exp2(exponent(random) / 2);
    std::vector<float> row =
        round % 2 == 0 ? direction(random, dimension) : near(random, lean, spread);
    std::vector<float> query =
        round % 8 < 4 ? direction(random, dimension) : near(random, lean, spread);
    if (round % 5 == 0) row[random() % dimension] += 1;  // one value takes the codes' range
    if (round % 3 == 1) stretch(row, std::exp2(exponent(random)));
    if (round % 3 == 2) stretch(query, std::exp2(exponent(random)));
    std::vector<std::int8_t> codes(dimension);
    const RowCode code = quantize_row(row, lean, codes);
    ASSERT_TRUE(std::isfinite(code.coarse.error));
    const QueryCode asked = quantize_query(query, lean, dimension + 3);
    double exact = 0;
    std::int64_t fine = 0;
    std::int64_t coarse = 0;
    std::int64_t magnitude = 0;
    for (std::size_t i = 0; i < dimension; ++i) {
      exact += double{row[i]} * query[i];
      fine += std::int64_t{codes[i]} * asked.fine.codes[i];
      const std::int64_t middle = (codes[i] + 128) / 16 * 16 - 120;
      coarse += middle * asked.coarse.codes[i];
      magnitude += 128 * std::abs(std::int64_t{asked.fine.codes[i]});
    }
    const auto expect_within = [&](std::int64_t product, float scale, const CodeError& error,
                                   float query_error) {
      const double score = double{code.along} * double{asked.along} +
                           static_cast<double>(product) * double{code.scale} * double{scale};
      const double bound = double{error.error} * double{asked.rest} +
                           double{error.length} * double{query_error} +
                           double{code.roundings} * double{asked.length};
      EXPECT_LE(std::abs(exact - score), bound) << "round " << round;
      EXPECT_LE(std::abs(double{cosine(row, query, true)} - score), bound) << "round " << round;
    };
    expect_within(fine, asked.fine.scale, code.fine, asked.fine.error);
    expect_within(coarse, asked.coarse.scale, code.coarse, asked.coarse.error);
    EXPECT_LE(magnitude, std::numeric_limits<std::int32_t>::max());
    EXPECT_EQ(std::vector<std::int16_t>(asked.fine.codes.end() - 3, asked.fine.codes.end()),
              std::vector<std::int16_t>(3, 0));
  }
}

PageMemory memory_of(std::string_view bytes) {
  PageMemory memory(bytes.size());
  if (!bytes.empty()) std::memcpy(memory.bytes().data(), bytes.data(), bytes.size());
  return memory;
}

std::string file_of(const ExactIndex& index) {
  const std::span<const std::byte> image = index.image();
  return {static_cast<const char*>(static_cast<const void*>(image.data())), image.size()};
}

// Whatever the bytes are: refused, or searched without touching anything else. (A checksum keeps
// such bytes away; this is what lies behind it.)
TEST(ExactIndex, SurvivesAnyBytes) {
  Random random(12);
  Rows rows(40);
  for (int i = 0; i < 300; ++i) rows.add(direction(random, 40));
  const std::string sound = file_of(rows.index());
  const std::vector<float> query = direction(random, 40);
  EXPECT_EQ(ExactIndex::open(memory_of(sound)).candidates(query, 10)->best_first.size(),
            rows.index().candidates(query, 10)->best_first.size());
  const auto attempt = [&](const std::string& bytes) {
    try {
      const ExactIndex index = ExactIndex::open(memory_of(bytes));
      (void)index.candidates(std::vector<float>(index.dimension(), 0.1F), 10);
      return true;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::corrupt) << error.what();
      return false;
    }
  };
  EXPECT_FALSE(attempt(""));
  for (std::size_t size = 1; size < sound.size(); size += 1 + size / 3) {
    EXPECT_FALSE(attempt(sound.substr(0, size))) << size;
  }
  EXPECT_FALSE(attempt(sound + std::string(64, '\0')));
  std::size_t refused = 0;
  for (std::size_t at = 0; at < 64; ++at) {  // the header
    for (const int value : {0, 1, 127, 128, 255}) {
      std::string changed = sound;
      changed[at] = static_cast<char>(value);
      refused += !attempt(changed);
    }
  }
  EXPECT_GT(refused, 100U);
  for (int round = 0; round < 300; ++round) {
    std::string changed = sound;
    for (int i = 0; i < 8; ++i) {
      changed[64 + random() % (changed.size() - 64)] = static_cast<char>(random());
    }
    attempt(changed);
  }
  std::string largest = sound;  // sizes whose products overflow
  for (const std::size_t at : {16U, 24U}) std::memset(largest.data() + at, 0xFF, 8);
  EXPECT_FALSE(attempt(largest));
}

}  // namespace
}  // namespace lore::index
