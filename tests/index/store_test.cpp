// What is put comes back, replaced, moved, removed, and remembered over openings.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "index/store/database.hpp"
#include "lore/error.hpp"
#include "tests/index/support.hpp"
#include "tests/support/fixtures.hpp"

namespace lore::index {
namespace {

using test::document;
using test::model;
using test::vectors_for;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class IndexStore : public ::testing::Test {
 protected:
  std::filesystem::path folder() const { return temporary_.path() / ".lore"; }
  std::unique_ptr<Writer> writer() const { return Writer::open(folder(), model()); }
  std::unique_ptr<Reader> reader() const { return Reader::open(folder()); }

  lore::test::TemporaryFolder temporary_;
};

template <typename Body>
Error error_of(Body body) {
  try {
    body();
  } catch (const Error& error) {
    return error;
  }
  return Error(ErrorCode::internal, "nothing was thrown");
}

TEST_F(IndexStore, GivesBackWhatWasPut) {
  DocumentRecord record =
      document("manuals/pump.pdf", {"Über die Pumpe.\n\nDruck: 5 bar 水泵", "", "The last page."});
  record.size = 1234;
  record.modified_ns = 1'700'000'000'123'456'789;
  record.problems = {"page 2 is a scan", "odd \"quotes\"; DROP TABLE documents"};
  record.pages[0].label = "iv";
  record.pages[1].state = "image_only";
  record.pages[1].note = "a picture";
  record.chunks[0].context = "Pump, chapter 1";
  writer()->put(record, vectors_for(record, 1));

  const auto read = reader();
  const DocumentRecord back = read->document("manuals/pump.pdf");
  EXPECT_EQ(back.path, record.path);
  EXPECT_EQ(back.size, record.size);
  EXPECT_EQ(back.modified_ns, record.modified_ns);
  EXPECT_EQ(back.sha256, record.sha256);
  EXPECT_EQ(back.format, record.format);
  EXPECT_EQ(back.title, record.title);
  EXPECT_EQ(back.paged, record.paged);
  EXPECT_EQ(back.text, record.text);
  EXPECT_EQ(back.problems, record.problems);
  ASSERT_EQ(back.pages.size(), 3U);
  EXPECT_EQ(back.pages[0].label, "iv");
  EXPECT_EQ(back.pages[1].state, "image_only");
  EXPECT_EQ(back.pages[1].note, "a picture");
  EXPECT_EQ(back.pages[2].start, record.pages[2].start);
  EXPECT_EQ(back.pages[2].end, record.pages[2].end);
  ASSERT_EQ(back.chunks.size(), record.chunks.size());
  for (std::size_t i = 0; i < back.chunks.size(); ++i) {
    EXPECT_EQ(back.chunks[i].start, record.chunks[i].start);
    EXPECT_EQ(back.chunks[i].end, record.chunks[i].end);
    EXPECT_EQ(back.chunks[i].page, record.chunks[i].page);
    EXPECT_EQ(back.chunks[i].page_end, record.chunks[i].page_end);
    EXPECT_EQ(back.chunks[i].heading, record.chunks[i].heading);
    EXPECT_EQ(back.chunks[i].context, record.chunks[i].context);
    EXPECT_EQ(back.chunks[i].body, record.chunks[i].body);
    EXPECT_EQ(back.chunks[i].tokens, record.chunks[i].tokens);
  }
  const Counts counts = read->counts();
  EXPECT_EQ(counts.documents, 1U);
  EXPECT_EQ(counts.pages, 3U);
  EXPECT_EQ(counts.pages_without_text, 1U);
  EXPECT_EQ(counts.chunks, 3U);
  EXPECT_EQ(counts.vectors, 3U);
  EXPECT_GT(counts.bytes, 1000U);
  const std::vector<DocumentSummary> list = read->documents();
  ASSERT_EQ(list.size(), 1U);
  EXPECT_EQ(list[0].chunks, 3U);
  EXPECT_EQ(list[0].pages_without_text, 1U);
  EXPECT_EQ(list[0].problems, record.problems);
  EXPECT_THAT(read->check().problems, IsEmpty());
}

TEST_F(IndexStore, KeepsTheModelSettingsAndFailures) {
  {
    const auto write = writer();
    write->set_setting("chunk_tokens", "256");
    write->set_setting("chunk_tokens", "128");
    write->put_failure({"b.pdf", 7, 8, "needs a password", "password", 0});
    write->put_failure({"a.pdf", 1, 2, "is damaged", "damaged", 3});
  }
  const auto read = reader();
  ASSERT_TRUE(read->model());
  EXPECT_EQ(read->model()->name, "minilm");
  EXPECT_EQ(read->model()->dimension, test::kDimension);
  EXPECT_TRUE(read->model()->normalized);
  EXPECT_EQ(read->setting("chunk_tokens"), "128");
  EXPECT_EQ(read->setting("other"), std::nullopt);
  const std::vector<FailureRecord> failures = read->failures();
  ASSERT_EQ(failures.size(), 2U);
  EXPECT_EQ(failures[0].path, "a.pdf");
  EXPECT_EQ(failures[0].pages_read, 3U);
  EXPECT_EQ(failures[1].code, "password");

  const auto write = writer();
  write->remove_failure("a.pdf");
  test::put(*write, "b.pdf", "readable now", 1);
  EXPECT_THAT(write->failures(), IsEmpty());
  EXPECT_EQ(write->setting("chunk_tokens"), "128");
}

TEST_F(IndexStore, ReplacesADocumentOfTheSamePath) {
  const auto write = writer();
  test::put(*write, "a.txt", "the old boiler\n\nwith two passages", 1);
  test::put(*write, "a.txt", "the new turbine", 10);
  const auto read = reader();
  EXPECT_EQ(read->counts().documents, 1U);
  EXPECT_EQ(read->counts().chunks, 1U);
  EXPECT_THAT(read->search(test::text_query("boiler")).hits, IsEmpty());
  EXPECT_THAT(test::bodies(read->search(test::text_query("turbine"))),
              ElementsAre("the new turbine"));
  EXPECT_THAT(read->check().problems, IsEmpty());
}

TEST_F(IndexStore, NeverUsesAChunkIdTwice) {
  const auto write = writer();
  std::int64_t highest = 0;
  for (std::uint64_t round = 0; round < 4; ++round) {
    test::put(*write, "a.txt", "one\n\ntwo", round);
    for (const Hit& hit : reader()->search(test::text_query("one two")).hits) {
      EXPECT_GT(hit.chunk_id, highest);
    }
    highest += 2;
    write->remove(write->find("a.txt")->id);
  }
}

TEST_F(IndexStore, MovesAndTouchesWithoutTouchingTheContent) {
  const auto write = writer();
  test::put(*write, "a.txt", "about valves", 1);
  const DocumentSummary before = write->find("a.txt").value();
  write->move(before.id, "b/c.txt", 42);
  EXPECT_FALSE(write->find("a.txt"));
  const DocumentSummary after = write->find("b/c.txt").value();
  EXPECT_EQ(after.id, before.id);
  EXPECT_EQ(after.modified_ns, 42);
  write->touch(after.id, 43);
  EXPECT_EQ(write->find("b/c.txt")->modified_ns, 43);
  EXPECT_EQ(reader()->search(test::text_query("valves")).hits.at(0).path, "b/c.txt");
  EXPECT_EQ(error_of([&] { write->move(99, "x", 1); }).code(), ErrorCode::not_found);
  EXPECT_EQ(error_of([&] { write->touch(99, 1); }).code(), ErrorCode::not_found);
  write->remove(99);  // gone already: nothing to do
}

TEST_F(IndexStore, NothingMovesOntoAnotherDocument) {
  const auto write = writer();
  test::put(*write, "a.txt", "first content", 1);
  test::put(*write, "b.txt", "second content", 2);
  EXPECT_THROW(write->move(write->find("a.txt")->id, "b.txt", 1), Error);
  EXPECT_EQ(write->documents().size(), 2U);
  EXPECT_TRUE(write->find("a.txt"));
}

TEST_F(IndexStore, FoldersAboveItAreMadeToo) {
  const std::filesystem::path deep = temporary_.path() / "x/y/z/.lore";
  Writer::open(deep, test::model());
  EXPECT_TRUE(std::filesystem::is_directory(deep));
}

TEST_F(IndexStore, FindsADocumentByAUniqueEnding) {
  {
    const auto write = writer();
    test::put(*write, "pumps/a/manual.pdf", "one", 1);
    test::put(*write, "pumps/b/manual.pdf", "two", 2);
    test::put(*write, "b/other.pdf", "three", 3);
    test::put(*write, "other.pdf", "four", 4);
  }
  const auto read = reader();
  EXPECT_EQ(read->document("a/manual.pdf").path, "pumps/a/manual.pdf");
  EXPECT_EQ(read->document("other.pdf").path, "other.pdf");  // the whole path wins
  EXPECT_EQ(read->document((temporary_.path() / "pumps/b/manual.pdf").string()).text, "two");
  EXPECT_EQ(error_of([&] { read->document("anual.pdf"); }).code(), ErrorCode::not_found);
  const Error several = error_of([&] { read->document("manual.pdf"); });
  EXPECT_EQ(several.code(), ErrorCode::invalid_argument);
  EXPECT_THAT(several.what(), HasSubstr("pumps/a/manual.pdf, pumps/b/manual.pdf"));
}

TEST_F(IndexStore, StoresPathsRelativeToTheFolderThatHoldsIt) {
  {
    const auto write = writer();
    test::put(*write, (temporary_.path() / "sub/./x/../a.txt").string(), "inside", 1);
    test::put(*write, "/elsewhere/b.txt", "outside", 2);
    EXPECT_TRUE(write->find("sub/a.txt"));
    EXPECT_TRUE(write->find("/elsewhere/b.txt"));
  }
  const std::filesystem::path moved = temporary_.path() / "moved";
  std::filesystem::create_directory(moved);
  std::filesystem::rename(folder(), moved / ".lore");
  const auto read = Reader::open(moved / ".lore");
  EXPECT_EQ(read->resolve("sub/a.txt"), std::filesystem::canonical(moved) / "sub/a.txt");
  EXPECT_EQ(read->resolve("/elsewhere/b.txt"), "/elsewhere/b.txt");
  EXPECT_EQ(read->document((moved / "sub/a.txt").string()).text, "inside");
  EXPECT_THAT(read->check().problems, IsEmpty());
}

TEST_F(IndexStore, TakesHostileTextAsText) {
  const std::string nasty = "'); DROP TABLE documents; -- \" % _ \\ \x01 $1 ?1 :a";
  const std::string with_nul("before\0after the nul", 20);
  {
    const auto write = writer();
    test::put(*write, nasty, nasty + " turbine", 1);
    test::put(*write, "a\nb\xFF.txt", with_nul, 2);
    write->set_setting(nasty, nasty);
    write->put_failure({nasty + "x", 0, 0, nasty, nasty, 0});
  }
  const auto read = reader();
  EXPECT_EQ(read->document(nasty).text, nasty + " turbine");
  EXPECT_EQ(read->document("a\nb\xFF.txt").text, with_nul);
  EXPECT_EQ(read->setting(nasty), nasty);
  EXPECT_EQ(read->failures().at(0).reason, nasty);
  EXPECT_EQ(read->search(test::text_query("turbine")).hits.size(), 1U);
  EXPECT_EQ(read->search(test::text_query("nul")).hits.size(), 1U);
  EXPECT_THAT(read->check().problems, IsEmpty());
}

TEST_F(IndexStore, RefusesVectorsThatCannotBeRight) {
  const auto write = writer();
  const DocumentRecord record = document("a.txt", {"one\n\ntwo"});
  std::vector<float> vectors = vectors_for(record, 1);
  const auto refused = [&] {
    return error_of([&] { write->put(record, vectors); }).code() == ErrorCode::invalid_argument;
  };
  vectors[20] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(refused());
  vectors[20] = std::numeric_limits<float>::infinity();
  EXPECT_TRUE(refused());
  vectors[20] = 2;
  EXPECT_TRUE(refused());
  std::fill(vectors.begin() + 16, vectors.end(), 0.0F);
  EXPECT_TRUE(refused());
  vectors.pop_back();
  EXPECT_TRUE(refused());
  EXPECT_THAT(write->documents(), IsEmpty());
}

TEST_F(IndexStore, RefusesAnotherModelNamingBoth) {
  {
    const auto write = writer();
    test::put(*write, "a.txt", "text", 1);
  }
  const auto refusal = [&](const ModelFingerprint& other) {
    return error_of([&] { Writer::open(folder(), other); });
  };
  ModelFingerprint other = model();
  other.name = "qwen";
  EXPECT_NO_THROW(Writer::open(folder(), other));  // only another name for the same vectors
  other.sha256 = "bbbb";
  const Error error = refusal(other);
  EXPECT_EQ(error.code(), ErrorCode::mismatch);
  EXPECT_THAT(error.what(), HasSubstr("minilm"));
  EXPECT_THAT(error.what(), HasSubstr("qwen"));
  for (const auto& change : std::vector<std::function<void(ModelFingerprint&)>>{
           [](ModelFingerprint& m) { m.dimension = 8; },
           [](ModelFingerprint& m) { m.pooling = "cls"; },
           [](ModelFingerprint& m) { m.query_prefix = "query: "; },
           [](ModelFingerprint& m) { m.passage_prefix = "passage: "; },
           [](ModelFingerprint& m) { m.architecture = "qwen2"; },
           [](ModelFingerprint& m) { m.normalized = false; }}) {
    ModelFingerprint changed = model();
    change(changed);
    EXPECT_EQ(refusal(changed).code(), ErrorCode::mismatch);
  }
  // Nothing of the old model is left to contradict the new one.
  {
    const auto write = writer();
    write->remove(write->find("a.txt")->id);
  }
  EXPECT_NO_THROW(Writer::open(folder(), other));
  EXPECT_EQ(reader()->model()->name, "qwen");
}

// For other tools, and for a look at an index by hand.
TEST_F(IndexStore, OffersTheCosineAsAnSqlFunction) {
  const auto write = writer();
  test::put(*write, "a.txt", "one\n\ntwo", 1);
  Database database(folder() / "index.sqlite", OpenMode::read);
  const auto similarity = [&](const std::string& a, const std::string& b) {
    Statement row = database.prepare("SELECT lore_similarity(" + a + ", " + b + ")");
    EXPECT_TRUE(row.step());
    return row.is_null(0) ? std::nullopt : std::optional(row.real(0));
  };
  const std::string first = "(SELECT data FROM vectors WHERE chunk_id = 1)";
  const std::string second = "(SELECT data FROM vectors WHERE chunk_id = 2)";
  double expected = 0;
  const std::vector<float> a = test::unit_vector(1);
  const std::vector<float> b = test::unit_vector(2);
  for (std::size_t i = 0; i < a.size(); ++i) expected += double{a[i]} * double{b[i]};
  EXPECT_NEAR(similarity(first, second).value(), expected, 1e-6);
  EXPECT_NEAR(similarity(first, first).value(), 1, 1e-6);
  EXPECT_EQ(similarity(first, "x'00'"), std::nullopt);
  EXPECT_EQ(similarity(first, "x'0000803f'"), std::nullopt);
  EXPECT_EQ(similarity("zeroblob(64)", first), std::nullopt);
  EXPECT_EQ(similarity("NULL", "'text'"), std::nullopt);
}

}  // namespace
}  // namespace lore::index
