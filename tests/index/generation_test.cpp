// The vector file beside the database: published, used, caught up with, refused, made anew.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.hpp"
#include "index/open.hpp"
#include "index/store/catalog.hpp"
#include "lore/error.hpp"
#include "tests/index/support.hpp"
#include "tests/support/fixtures.hpp"

namespace lore::index {
namespace {

using test::bodies;
using test::put;
using test::unit_vector;
using test::vector_query;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

class IndexGeneration : public ::testing::Test {
 protected:
  std::filesystem::path folder() const { return temporary_.path() / ".lore"; }
  std::unique_ptr<Writer> writer() {
    WriterOptions options;
    options.log = log();
    options.exact_codes = exact_codes_;
    return open_writer(folder(), test::model(), options);
  }
  std::unique_ptr<Reader> reader() { return Reader::open(folder(), log()); }
  LogSink log() {
    return [this](LogLevel, std::string_view message) { messages_.emplace_back(message); };
  }
  std::vector<std::filesystem::path> vector_files() const {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder())) {
      if (entry.path().filename().string().starts_with("vectors-")) files.push_back(entry.path());
    }
    return files;
  }
  std::optional<GenerationRecord> record() const {
    Database database(folder() / "index.sqlite", OpenMode::read);
    return read_generation(database);
  }
  std::string nearest(std::uint64_t seed) {
    const std::vector<float> query = unit_vector(seed);
    const SearchResult result = reader()->search(vector_query(query));
    if (result.hits.empty()) return "";
    EXPECT_NEAR(*result.hits[0].similarity, 1, 1e-6) << result.hits[0].chunk.body;
    return result.hits[0].chunk.body;
  }

  lore::test::TemporaryFolder temporary_;
  std::size_t exact_codes_ = VectorIndex::kExactCodes;
  std::vector<std::string> messages_;
};

TEST_F(IndexGeneration, IsPublishedRecordedAndTheOnlyOne) {
  const auto write = writer();
  put(*write, "a.txt", "one\n\ntwo\n\nthree", 1);
  write->publish();
  ASSERT_THAT(vector_files(), SizeIs(1));
  const GenerationRecord first = record().value();
  EXPECT_EQ(first.file, vector_files()[0].filename());
  EXPECT_EQ(first.kind, "int8");
  EXPECT_EQ(first.count, 3U);
  EXPECT_EQ(first.highest_id, 3);
  EXPECT_EQ(first.bytes, std::filesystem::file_size(vector_files()[0]));
  EXPECT_EQ(first.fingerprint, fingerprint_digest(test::model()));

  write->publish();  // nothing has changed
  EXPECT_EQ(record()->id, first.id);

  put(*write, "b.txt", "four", 4);
  write->publish();
  EXPECT_EQ(record()->count, 4U);
  EXPECT_NE(record()->file, first.file);
  EXPECT_THAT(vector_files(), SizeIs(1));
  EXPECT_EQ(nearest(4), "four");

  for (const DocumentSummary& document : write->documents()) write->remove(document.id);
  write->publish();
  EXPECT_FALSE(record());
  EXPECT_THAT(vector_files(), IsEmpty());
  EXPECT_THAT(messages_, IsEmpty());
}

TEST_F(IndexGeneration, IsWhatASearchAsks) {
  {
    const auto write = writer();
    std::string text = "passage 0";
    for (int i = 1; i < 200; ++i) text += "\n\npassage " + std::to_string(i);
    put(*write, "a.txt", text, 1000);
    write->publish();
  }
  EXPECT_EQ(nearest(1150), "passage 150");
  {
    // A row that the file does not have, and that claims to be older than the file: whoever scans
    // all rows finds it, whoever asks the file cannot.
    Database database(folder() / "index.sqlite", OpenMode::write);
    database.execute(
        "PRAGMA foreign_keys = OFF; UPDATE vectors SET chunk_id = 400 WHERE chunk_id = 151;"
        "UPDATE chunks SET id = 400 WHERE id = 151; UPDATE generations SET highest_id = 500");
  }
  const std::vector<float> query = unit_vector(1150);
  EXPECT_LT(*reader()->search(vector_query(query)).hits.at(0).similarity, 0.99);
  EXPECT_THAT(reader()->check().problems, Not(IsEmpty()));
}

TEST_F(IndexGeneration, IsCompletedByNewerRows) {
  const auto write = writer();
  put(*write, "a.txt", "one\n\ntwo", 1);
  write->publish();
  put(*write, "b.txt", "three", 3);
  EXPECT_EQ(nearest(1), "one");
  EXPECT_EQ(nearest(3), "three");
  EXPECT_THAT(reader()->check().problems, IsEmpty());
}

TEST_F(IndexGeneration, NeverGivesWhatIsGone) {
  const auto write = writer();
  put(*write, "gone.txt", "g0\n\ng1\n\ng2\n\ng3", 10);
  put(*write, "kept.txt", "k0\n\nk1", 20);
  write->publish();
  write->remove(write->find("gone.txt")->id);
  const std::vector<float> query = unit_vector(10);
  SearchQuery search = vector_query(query);
  search.limit = 2;
  search.candidates = 2;
  for (const Hit& hit : reader()->search(search).hits) EXPECT_EQ(hit.path, "kept.txt");
  EXPECT_THAT(reader()->search(search).hits, SizeIs(2));
}

TEST_F(IndexGeneration, FetchesMoreWhereMostIsGone) {
  const auto write = writer();
  for (std::uint64_t i = 0; i < 100; ++i) put(*write, std::to_string(i), "passage", i);
  write->publish();
  for (std::uint64_t i = 0; i < 97; ++i) write->remove(write->find(std::to_string(i))->id);
  SearchQuery search;
  const std::vector<float> query = unit_vector(5);
  search.vector = query;
  search.mode = SearchMode::vector;
  search.limit = search.candidates = 3;
  EXPECT_THAT(reader()->search(search).hits, SizeIs(3));
}

TEST_F(IndexGeneration, IsRefusedWithAMessageAndMadeAnewByAWriter) {
  using Damage = std::function<void(const std::filesystem::path&)>;
  const std::vector<Damage> damages = {
      [](const auto& file) { std::filesystem::remove(file); },
      [](const auto& file) { std::filesystem::resize_file(file, 10); },
      [](const auto& file) { write_file_atomically(file, ""); },
      [](const auto& file) {
        std::string bytes = read_file(file);
        bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
        write_file_atomically(file, bytes);
      }};
  {
    const auto write = writer();
    put(*write, "a.txt", "one\n\ntwo", 1);
    write->publish();
  }
  for (const Damage& damage : damages) {
    damage(vector_files().at(0));
    messages_.clear();
    EXPECT_EQ(nearest(1), "one");
    ASSERT_THAT(messages_, SizeIs(1));
    EXPECT_THAT(messages_[0], HasSubstr("vector file"));
    EXPECT_THAT(reader()->check().problems, SizeIs(1));
    writer()->publish();
    messages_.clear();
    EXPECT_EQ(nearest(2), "two");
    EXPECT_THAT(messages_, IsEmpty());
    EXPECT_THAT(reader()->check().problems, IsEmpty());
  }
}

TEST_F(IndexGeneration, OfAnotherIndexIsRefused) {
  {
    const auto write = writer();
    put(*write, "a.txt", "one\n\ntwo", 1);
    write->publish();
  }
  const std::string foreign = read_file(vector_files().at(0));
  {
    const auto write = writer();
    put(*write, "a.txt", "two\n\none", 1);  // the same vectors, under other ids
    write->publish();
  }
  write_file_atomically(vector_files().at(0), foreign);
  EXPECT_EQ(nearest(1), "two");
  EXPECT_THAT(messages_, SizeIs(1));
}

TEST_F(IndexGeneration, IsReadAnewByAnOpenReader) {
  const auto write = writer();
  put(*write, "a.txt", "one", 1);
  write->publish();
  const auto read = reader();
  const std::vector<float> first = unit_vector(1);
  const std::vector<float> second = unit_vector(2);
  EXPECT_THAT(bodies(read->search(vector_query(first))), ElementsAre("one"));
  put(*write, "b.txt", "two", 2);
  write->publish();  // removes the file that the reader has loaded
  EXPECT_THAT(bodies(read->search(vector_query(second))), ElementsAre("two", "one"));
  write->remove(write->find("a.txt")->id);
  EXPECT_THAT(bodies(read->search(vector_query(first))), ElementsAre("two"));
  EXPECT_THAT(messages_, IsEmpty());
}

TEST_F(IndexGeneration, LeftoversOfAKilledWriterAreRemoved) {
  {
    const auto write = writer();
    put(*write, "a.txt", "one", 1);
    write->publish();
  }
  const auto sound = vector_files();
  write_file_atomically(folder() / "vectors-new.faiss", "half a file");
  write_file_atomically(folder() / "vectors-new.int8", "half a file");
  write_file_atomically(folder() / "vectors-123456789abcdef0.int8", "published, not recorded");
  write_file_atomically(folder() / "vectors-0123456789abcdef.faiss", "published, not recorded");
  EXPECT_EQ(nearest(1), "one");
  writer();
  EXPECT_EQ(vector_files(), sound);
}

TEST_F(IndexGeneration, WithListsFindsTheSameAndScoresWithTheStoredVectors) {
  exact_codes_ = 100 * test::kDimension;
  std::string text = "passage 0";
  for (int i = 1; i < 400; ++i) text += "\n\npassage " + std::to_string(i);
  const auto write = writer();
  put(*write, "a.txt", text, 0);
  write->publish();
  EXPECT_EQ(record()->kind, "ivf_sq8");
  EXPECT_GE(record()->recall, 0.98);
  for (const std::uint64_t seed : {0U, 17U, 399U}) {
    EXPECT_EQ(nearest(seed), "passage " + std::to_string(seed));
  }
  write->remove(write->find("a.txt")->id);
  put(*write, "b.txt", "the only one", 17);
  EXPECT_EQ(nearest(17), "the only one");
  EXPECT_THAT(reader()->check().problems, IsEmpty());
}

}  // namespace
}  // namespace lore::index
