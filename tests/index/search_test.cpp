// Searches by words, by vector and by both.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include <cmath>

#include "lore/error.hpp"
#include "tests/index/support.hpp"
#include "tests/support/fixtures.hpp"

namespace lore::index {
namespace {

using test::bodies;
using test::put;
using test::text_query;
using test::unit_vector;
using test::vector_query;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

class IndexSearch : public ::testing::Test {
 protected:
  IndexSearch() : writer_(Writer::open(temporary_.path() / ".lore", test::model())) {}

  SearchResult search(const SearchQuery& query) {
    return Reader::open(temporary_.path() / ".lore")->search(query);
  }
  std::vector<std::string> found(std::string_view text) { return bodies(search(text_query(text))); }

  lore::test::TemporaryFolder temporary_;
  std::unique_ptr<Writer> writer_;
};

TEST_F(IndexSearch, FindsWordsInAllTheirForms) {
  put(*writer_, "a.txt", "Change the filter monthly.\n\nThe alarm is loud.\n\nNothing of this.", 1);
  EXPECT_THAT(found("changing filters"), ElementsAre("Change the filter monthly."));
  EXPECT_THAT(found("Which alarms are there?"), ElementsAre("The alarm is loud."));
  EXPECT_THAT(found("ALARM"), ElementsAre("The alarm is loud."));
  EXPECT_THAT(found("turbine"), IsEmpty());
}

TEST_F(IndexSearch, IgnoresMarksOnLettersBothWays) {
  put(*writer_, "a.txt", "Der Überdruck im Behälter.\n\nUberdruck ohne Punkte.", 1);
  EXPECT_THAT(found("uberdruck"), SizeIs(2));
  EXPECT_THAT(found("Überdruck"), SizeIs(2));
}

TEST_F(IndexSearch, FindsPartsOfNames) {
  put(*writer_, "a.txt", "Order number XKB4711Z.\n\nOrder number XKB5822Z.", 1);
  EXPECT_THAT(found("4711"), ElementsAre("Order number XKB4711Z."));
  EXPECT_THAT(found("kb58"), ElementsAre("Order number XKB5822Z."));
}

TEST_F(IndexSearch, RanksAWholeNameOverItsParts) {
  put(*writer_, "a.txt", "E 17 42 in a table, 42 rows\n\nAlarm E-42 says that\n\n42 42 42", 1);
  EXPECT_EQ(found("what is E-42?").at(0), "Alarm E-42 says that");
}

TEST_F(IndexSearch, FindsScriptsWithoutSpaces) {
  put(*writer_, "a.txt", "请每月更换过滤器一次。\n\n水泵的压力是五巴。\n\n油箱在后面。", 1);
  EXPECT_THAT(found("如何更换过滤器？"), ElementsAre("请每月更换过滤器一次。"));
  EXPECT_THAT(found("水泵"), ElementsAre("水泵的压力是五巴。"));
  EXPECT_THAT(found("油"), ElementsAre("油箱在后面。"));
  EXPECT_THAT(found("风扇"), IsEmpty());
  put(*writer_, "b.txt", "フィルターを交換してください。\n\nเปลี่ยนไส้กรองทุกเดือน", 5);
  EXPECT_THAT(found("フィルター交換"), ElementsAre("フィルターを交換してください。"));
  EXPECT_THAT(found("ไส้กรอง"), ElementsAre("เปลี่ยนไส้กรองทุกเดือน"));
}

TEST_F(IndexSearch, SearchesTheContextButTrustsTheBodyMore) {
  DocumentRecord record = test::document("a.txt", {"the body says turbine\n\nanother passage"});
  record.chunks[1].context = "Chapter on the turbine";
  writer_->put(record, test::vectors_for(record, 1));
  put(*writer_, "b.txt", "filler one\n\nfiller two\n\nfiller three\n\nfiller four", 10);
  EXPECT_THAT(found("turbine"), ElementsAre("the body says turbine", "another passage"));
}

TEST_F(IndexSearch, OfStopWordsAloneStillWorks) {
  put(*writer_, "a.txt", "To be, or not to be.\n\nPumps pump.", 1);
  EXPECT_THAT(found("to be or not to be"), ElementsAre("To be, or not to be."));
}

TEST_F(IndexSearch, TakesEveryStringAsWords) {
  put(*writer_, "a.txt", "near the pump and not the valve", 1);
  for (const char* query : {"\"",
                            "\"\"",
                            "'",
                            "pump AND",
                            "NOT pump",
                            "pump*",
                            "^pump",
                            "body:pump",
                            "body : pump",
                            "NEAR(pump valve, 2)",
                            "(pump",
                            "pump)",
                            "{body}: pump",
                            "- pump",
                            "pump + valve",
                            "*",
                            "--",
                            "pump; DROP TABLE chunks",
                            "\"pump",
                            "pump\"\"valve",
                            "rank:pump",
                            "pump%",
                            "pump\\",
                            "a OR b OR",
                            ":",
                            ",",
                            "+",
                            "\x01\x02",
                            "\xFF\xFE pump",
                            "𝓅𝓊𝓂𝓅 pump",
                            "pump\n\t\rvalve"}) {
    EXPECT_NO_THROW(search(text_query(query))) << query;
  }
  EXPECT_THAT(found("NOT pump"), SizeIs(1));
  EXPECT_THAT(found("body:pump"), SizeIs(1));
  EXPECT_THAT(found(std::string_view("\0pump\0", 6)), SizeIs(1));
  std::string book;
  while (book.size() < (1U << 20)) book += "pump valve \" ( 水泵 ";
  EXPECT_THAT(found(book), SizeIs(1));
  EXPECT_THAT(found(std::string(1U << 20, '"')), IsEmpty());
  EXPECT_THAT(found(std::string(1U << 20, 'x')), IsEmpty());
}

TEST_F(IndexSearch, FindsTheNearestVectors) {
  put(*writer_, "a.txt", "zero\n\none\n\ntwo\n\nthree", 100);
  const std::vector<float> query = unit_vector(102);
  for (const bool published : {false, true}) {
    if (published) writer_->publish();
    const SearchResult result = search(vector_query(query));
    ASSERT_THAT(result.hits, SizeIs(4));
    EXPECT_EQ(result.hits[0].chunk.body, "two");
    EXPECT_NEAR(*result.hits[0].similarity, 1, 1e-6);
    EXPECT_EQ(result.hits[0].score, double{*result.hits[0].similarity});
    EXPECT_EQ(result.hits[0].vector_rank, 1U);
    EXPECT_FALSE(result.hits[0].text_rank);
    EXPECT_EQ(result.evidence.best_similarity, *result.hits[0].similarity);
    for (std::size_t i = 1; i < 4; ++i) {
      EXPECT_LE(*result.hits[i].similarity, *result.hits[i - 1].similarity);
    }
  }
  std::vector<float> scaled = query;
  for (float& value : scaled) value *= 7;
  EXPECT_NEAR(*search(vector_query(scaled)).hits[0].similarity, 1, 1e-6);
}

TEST_F(IndexSearch, FusesBothListsAndTellsBothRanks) {
  put(*writer_, "a.txt", "turbine blades\n\nboiler\n\nturbine oil", 100);
  SearchQuery query;
  query.text = "turbine";
  const std::vector<float> vector = unit_vector(101);
  query.vector = vector;
  const SearchResult result = search(query);
  ASSERT_THAT(result.hits, SizeIs(3));
  std::size_t with_text = 0;
  for (const Hit& hit : result.hits) {
    ASSERT_TRUE(hit.vector_rank);
    ASSERT_TRUE(hit.similarity);
    double score = 1.0 / static_cast<double>(60 + *hit.vector_rank);
    if (hit.text_rank) {
      ++with_text;
      ASSERT_TRUE(hit.bm25);
      EXPECT_GT(*hit.bm25, 0);
      score += 1.0 / static_cast<double>(60 + *hit.text_rank);
    } else {
      EXPECT_FALSE(hit.bm25);
    }
    EXPECT_DOUBLE_EQ(hit.score, score);
    EXPECT_EQ(hit.chunk.body == "boiler", *hit.vector_rank == 1);
  }
  EXPECT_EQ(with_text, 2U);
}

TEST_F(IndexSearch, GivesHitsOfTheTextListTheirSimilarityToo) {
  std::string many = "turbine";
  for (int i = 0; i < 30; ++i) many += "\n\nfiller";
  put(*writer_, "a.txt", many, 100);
  SearchQuery query;
  query.text = "turbine";
  std::vector<float> opposite = unit_vector(100);
  for (float& value : opposite) value = -value;
  query.vector = opposite;
  query.candidates = 5;
  query.limit = 5;
  const SearchResult result = search(query);
  ASSERT_FALSE(result.hits.empty());
  const auto hit = std::find_if(result.hits.begin(), result.hits.end(),
                                [](const Hit& h) { return h.chunk.body == "turbine"; });
  ASSERT_NE(hit, result.hits.end());
  EXPECT_FALSE(hit->vector_rank);
  EXPECT_NEAR(*hit->similarity, -1, 1e-6);
}

TEST_F(IndexSearch, FiltersByPath) {
  put(*writer_, "manuals/pump.pdf", "turbine one", 1);
  put(*writer_, "manuals/old/pump.pdf", "turbine two", 2);
  put(*writer_, "reports/2024.pdf", "turbine three", 3);
  writer_->publish();
  const std::vector<float> vector = unit_vector(3);
  for (const SearchMode mode : {SearchMode::text, SearchMode::vector, SearchMode::hybrid}) {
    SearchQuery query;
    query.text = "turbine";
    query.vector = vector;
    query.mode = mode;
    query.path_filter = "manuals";
    EXPECT_THAT(bodies(search(query)), UnorderedElementsAre("turbine one", "turbine two"));
    query.path_filter = "manuals/*.pdf";
    EXPECT_THAT(bodies(search(query)), ElementsAre("turbine one"));
    query.path_filter = "*.docx";
    EXPECT_THAT(bodies(search(query)), IsEmpty());
    query.path_filter = "'; DROP TABLE documents; --";
    EXPECT_THAT(bodies(search(query)), IsEmpty());
  }
}

TEST_F(IndexSearch, FilterDoesNotCostResults) {
  for (std::uint64_t i = 0; i < 40; ++i) {
    put(*writer_, "many/" + std::to_string(i), "turbine turbine turbine", i);
  }
  put(*writer_, "few/a", "a turbine among many other words that make it rank low", 100);
  SearchQuery query = text_query("turbine");
  query.candidates = query.limit = 3;
  query.path_filter = "few";
  EXPECT_THAT(search(query).hits, SizeIs(1));
}

TEST_F(IndexSearch, TellsWhatTheWordsMet) {
  put(*writer_, "a.txt", "Change the filter.\n\nThe pump filter is changed monthly.", 1);
  SearchQuery query = text_query("How is the filter of the turbine pump changed?");
  const SearchEvidence evidence = search(query).evidence;
  EXPECT_EQ(evidence.query_terms, 4U);
  EXPECT_EQ(evidence.best_terms_met, 3U);
  EXPECT_EQ(evidence.best_similarity, 0);
}

TEST_F(IndexSearch, WhatTheWordsMetDoesNotDependOnTheLimit) {
  put(*writer_, "a.txt", "turbine turbine turbine turbine", 1);
  put(*writer_, "b.txt", "turbine turbine with a filter among quite a few other words", 2);
  for (std::uint64_t i = 0; i < 60; ++i) {
    put(*writer_, "c" + std::to_string(i), "a filter, long as the others are in this place",
        10 + i);
  }
  SearchQuery query = text_query("turbine filter");
  std::set<std::size_t> met;
  for (const std::size_t limit : {1U, 2U, 5U, 10U, 60U}) {
    query.limit = limit;
    const SearchResult result = search(query);
    EXPECT_LE(result.hits.size(), limit);
    met.insert(result.evidence.best_terms_met);
  }
  EXPECT_THAT(met, testing::ElementsAre(2U));
}

TEST_F(IndexSearch, NamesPagesByTheirLabels) {
  DocumentRecord record = test::document("a.pdf", {"first page text", "second page text"});
  record.pages[0].label = "iv";
  record.pages[1].label = "v";
  ChunkRecord across;
  across.start = 6;
  across.end = 22;
  across.body = "page text\fsecond";
  across.page = 0;
  across.page_end = 1;
  across.heading = {"A", "B"};
  record.chunks = {across};
  writer_->put(record, test::vectors_for(record, 1));
  const Hit hit = search(text_query("second")).hits.at(0);
  EXPECT_EQ(hit.page_label, "iv");
  EXPECT_EQ(hit.page_end_label, "v");
  EXPECT_EQ(hit.chunk.heading, across.heading);
  EXPECT_EQ(hit.title, "Title of a.pdf");
  EXPECT_TRUE(hit.paged);
}

TEST_F(IndexSearch, RefusesVectorsThatDoNotBelongToTheIndex) {
  put(*writer_, "a.txt", "text", 1);
  const auto code_of = [&](const SearchQuery& query) {
    try {
      search(query);
    } catch (const Error& error) {
      return error.code();
    }
    return ErrorCode::internal;
  };
  const std::vector<float> longer = unit_vector(1, 32);
  EXPECT_EQ(code_of(vector_query(longer)), ErrorCode::mismatch);
  std::vector<float> bad = unit_vector(1);
  bad[3] = std::nanf("");
  EXPECT_EQ(code_of(vector_query(bad)), ErrorCode::invalid_argument);
  EXPECT_EQ(code_of(vector_query({})), ErrorCode::invalid_argument);
  const std::vector<float> zero(test::kDimension, 0.0F);
  EXPECT_THAT(search(vector_query(zero)).hits, IsEmpty());
}

TEST_F(IndexSearch, OfAnEmptyIndexIsEmpty) {
  const std::vector<float> vector = unit_vector(1);
  EXPECT_THAT(search(vector_query(vector)).hits, IsEmpty());
  EXPECT_THAT(found("anything"), IsEmpty());
  writer_->publish();
  EXPECT_THAT(search(vector_query(vector)).hits, IsEmpty());
}

TEST(IndexUnnormalized, ScoresByCosine) {
  const lore::test::TemporaryFolder temporary;
  ModelFingerprint model = test::model();
  model.normalized = false;
  const auto writer = Writer::open(temporary.path() / ".lore", model);
  const DocumentRecord record = test::document("a.txt", {"short\n\nlong"});
  std::vector<float> vectors = test::vectors_for(record, 1);
  for (std::size_t i = 0; i < test::kDimension; ++i) {
    vectors[i] *= 0.01F;
    vectors[test::kDimension + i] *= 100.0F;
  }
  writer->put(record, vectors);
  const std::vector<float> query = unit_vector(1);
  for (const bool published : {false, true}) {
    if (published) writer->publish();
    const auto reader = Reader::open(temporary.path() / ".lore");
    const SearchResult result = reader->search(vector_query(query));
    EXPECT_EQ(bodies(result).at(0), "short");
    EXPECT_NEAR(*result.hits[0].similarity, 1, 1e-5);
    EXPECT_THAT(reader->check().problems, IsEmpty());
  }
}

}  // namespace
}  // namespace lore::index
