// Random changes against a model of an index that is too simple to be wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>
#include <set>

#include "index/open.hpp"
#include "tests/index/support.hpp"
#include "tests/support/fixtures.hpp"

namespace lore::index {
namespace {

using ::testing::IsEmpty;

struct Passage {
  std::string body;
  std::vector<float> vector;
};

// Documents by path, each with its passages.
using Model = std::map<std::string, std::vector<Passage>>;

constexpr std::array kWords = {"turbine", "boiler", "valve",  "filter", "pump",
                               "alarm",   "水泵",   "过滤器", "E-42",   "Druck"};

class IndexProperty : public ::testing::TestWithParam<std::size_t> {
 protected:
  IndexProperty() : folder_(temporary_.path() / ".lore"), random_(GetParam()) {}

  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_() % bound); }
  std::string path() {
    std::string path = "d/";
    path += std::to_string(below(4)) + "/" + std::to_string(below(6));
    return path;
  }

  void put(Writer& writer) {
    std::string text;
    const std::size_t passages = below(6);
    for (std::size_t i = 0; i < passages; ++i) {
      if (i > 0) text += "\n\n";
      const std::size_t words = 1 + below(6);
      for (std::size_t k = 0; k < words; ++k) {
        text += std::string(k > 0 ? " " : "") + kWords[below(kWords.size())];
      }
    }
    const std::string where = path();
    const DocumentRecord record = test::document(where, {text});
    const std::uint64_t seed = random_();
    const std::vector<float> vectors = test::vectors_for(record, seed);
    writer.put(record, vectors);
    std::vector<Passage>& stored = model_[where];
    stored.clear();
    for (std::size_t i = 0; i < record.chunks.size(); ++i) {
      stored.push_back({record.chunks[i].body, test::unit_vector(seed + i)});
    }
  }

  void change(Writer& writer) {
    const std::size_t kind = below(10);
    if (kind < 6 || model_.empty()) return put(writer);
    const auto chosen =
        std::next(model_.begin(), static_cast<std::ptrdiff_t>(below(model_.size())));
    const std::int64_t id = writer.find(chosen->first).value().id;
    if (kind < 8) {
      writer.remove(id);
      model_.erase(chosen);
    } else {
      const std::string to = path();
      if (model_.contains(to)) return;
      writer.move(id, to, 5);
      model_[to] = chosen->second;
      model_.erase(chosen);
    }
  }

  void expect_equal(const Reader& reader) {
    std::set<std::string> paths;
    for (const DocumentSummary& document : reader.documents()) {
      paths.insert(document.path);
      ASSERT_TRUE(model_.contains(document.path));
      EXPECT_EQ(document.chunks, model_[document.path].size());
    }
    EXPECT_EQ(paths.size(), model_.size());
    expect_vector_search(reader);
    expect_text_search(reader);
  }

  void expect_vector_search(const Reader& reader) {
    const std::vector<float> query = test::unit_vector(random_());
    std::vector<std::pair<double, std::string>> all;  // by falling cosine
    for (const auto& [where, passages] : model_) {
      for (const Passage& passage : passages) {
        double product = 0;
        for (std::size_t i = 0; i < query.size(); ++i) {
          product += double{query[i]} * double{passage.vector[i]};
        }
        all.emplace_back(-product, passage.body);
      }
    }
    std::sort(all.begin(), all.end());
    SearchQuery search = test::vector_query(query);
    search.limit = 1 + below(8);
    search.candidates = search.limit;
    const SearchResult result = reader.search(search);
    ASSERT_EQ(result.hits.size(), std::min(search.limit, all.size()));
    for (std::size_t i = 0; i < result.hits.size(); ++i) {
      // Distinct random vectors differ by far more than what rounding changes.
      EXPECT_NEAR(*result.hits[i].similarity, -all[i].first, 1e-5);
      EXPECT_EQ(result.hits[i].chunk.body, all[i].second);
    }
  }

  void expect_text_search(const Reader& reader) {
    const std::string word = kWords[below(kWords.size())];
    std::multiset<std::string> expected;
    for (const auto& [where, passages] : model_) {
      for (const Passage& passage : passages) {
        if (passage.body.find(word) != std::string::npos) expected.insert(passage.body);
      }
    }
    SearchQuery search = test::text_query(word);
    search.limit = search.candidates = 1000;
    std::multiset<std::string> found;
    for (const Hit& hit : reader.search(search).hits) found.insert(hit.chunk.body);
    EXPECT_EQ(found, expected) << word;
  }

  test::MemoryFolders in_memory_;
  lore::test::TemporaryFolder temporary_;
  std::filesystem::path folder_;
  std::mt19937_64 random_;
  Model model_;
};

TEST_P(IndexProperty, BehavesAsTheModelDoes) {
  const auto reader_options = [&] { return Reader::open(folder_); };
  std::unique_ptr<Reader> kept;  // one that stays open over many changes
  for (int session = 0; session < 6; ++session) {
    {
      WriterOptions options;
      options.exact_codes = session % 2 == 0 ? VectorIndex::kExactCodes : 20 * test::kDimension;
      const auto writer = open_writer(folder_, test::model(), options);
      if (!kept) kept = reader_options();
      for (int i = 0; i < 12; ++i) {
        change(*writer);
        if (below(6) == 0) writer->publish();
        expect_equal(*kept);
        if (HasFatalFailure()) return;
      }
      if (session % 3 == 0) writer->publish();
    }
    const auto reader = reader_options();
    expect_equal(*reader);
    ASSERT_THAT(reader->check().problems, IsEmpty());
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, IndexProperty, ::testing::Range(std::size_t{1}, std::size_t{7}));

}  // namespace
}  // namespace lore::index
