// What check() finds, and what repair() makes of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "index/store/database.hpp"
#include "tests/index/support.hpp"
#include "tests/support/fixtures.hpp"

namespace lore::index {
namespace {

using test::put;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

struct Damage {
  const char* name;
  const char* sql;
  const char* problem;    // part of what check() says
  std::size_t documents;  // left after the repair
};

class IndexCheck : public ::testing::TestWithParam<Damage> {
 protected:
  IndexCheck() {
    const auto writer = Writer::open(folder(), test::model());
    put(*writer, "a.txt", "one turbine\n\ntwo turbines\fa second page", 1);
    put(*writer, "b.txt", "更换过滤器 boiler", 10);
    writer->publish();
  }
  std::filesystem::path folder() const { return temporary_.path() / ".lore"; }
  CheckReport check() const { return Reader::open(folder())->check(); }

  lore::test::TemporaryFolder temporary_;
};

TEST_P(IndexCheck, FindsTheDamageAndRepairsIt) {
  ASSERT_THAT(check().problems, IsEmpty());
  {
    Database database(folder() / "index.sqlite", OpenMode::write);
    database.execute("PRAGMA foreign_keys = OFF");
    database.execute(GetParam().sql);
  }
  const CheckReport found = check();
  EXPECT_THAT(found.problems, Contains(HasSubstr(GetParam().problem)));
  {
    const auto writer = Writer::open(folder(), test::model());
    const CheckReport report = writer->repair();
    EXPECT_THAT(report.repaired, Not(IsEmpty()));
    EXPECT_THAT(report.problems, IsEmpty());
    EXPECT_EQ(writer->documents().size(), GetParam().documents);
    EXPECT_THAT(writer->repair().repaired, IsEmpty());
  }
  EXPECT_THAT(check().problems, IsEmpty());
  EXPECT_THAT(Reader::open(folder())->search(test::text_query("boiler 过滤器")).hits, SizeIs(1));
}

INSTANTIATE_TEST_SUITE_P(
    Damages, IndexCheck,
    ::testing::Values(
        Damage{"Body", "DROP TRIGGER chunk_added; UPDATE chunks SET body = 'other' WHERE id = 1",
               "passage 1 is not what its text says", 1},
        Damage{"Span", "UPDATE chunks SET end_at = 9999 WHERE id = 1", "lies outside", 1},
        Damage{"NegativeSpan", "UPDATE chunks SET start_at = -1 WHERE id = 1", "lies outside", 1},
        Damage{"Page", "UPDATE chunks SET page_end = 7 WHERE id = 1", "names a page", 1},
        Damage{"PageSpan", "UPDATE pages SET end_at = 9999 WHERE number = 1", "span of page 2", 1},
        Damage{"Text", "UPDATE texts SET text = CAST(x'ff' AS TEXT) WHERE document_id = 1",
               "no valid UTF-8", 1},
        Damage{"NoText", "DELETE FROM texts WHERE document_id = 1", "lies outside", 1},
        Damage{"NoVector", "DELETE FROM vectors WHERE chunk_id = 2", "passage 2 has no vector", 1},
        Damage{"ShortVector", "UPDATE vectors SET data = x'00000000' WHERE chunk_id = 2",
               "dimensions", 1},
        Damage{"ZeroVector", "UPDATE vectors SET data = zeroblob(64) WHERE chunk_id = 2", "is zero",
               1},
        Damage{"NotANumber",
               "UPDATE vectors SET data = CAST(x'0000c07f' || zeroblob(60) AS BLOB)"
               " WHERE chunk_id = 2",
               "no numbers", 1},
        Damage{"OtherVector",
               "UPDATE vectors SET data = (SELECT data FROM vectors WHERE chunk_id = 1)"
               " WHERE chunk_id = 2",
               "differs in 1", 2},
        Damage{"OrphanVector", "INSERT INTO vectors VALUES (99, zeroblob(64))", "belongs to no row",
               2},
        Damage{"OrphanChunks", "DELETE FROM documents WHERE id = 1", "belongs to no row", 1},
        Damage{"WordsMissing",
               "INSERT INTO words(words, rowid, body, context) VALUES ('delete', 1, 'one turbine',"
               " '')",
               "full text (words)", 2},
        Damage{"WordsOther",
               "INSERT INTO words(words, rowid, body, context) VALUES ('delete', 1, 'one turbine',"
               " ''); INSERT INTO words(rowid, body, context) VALUES (1, 'one boiler', '')",
               "full text (words)", 2},
        Damage{"TrigramsExtra", "INSERT INTO trigrams(rowid, body, context) VALUES (77, 'abc', '')",
               "full text (trigrams)", 2},
        Damage{"TrigramsEmptied", "DELETE FROM trigrams_data WHERE id > 10", "full text (trigrams)",
               2},
        Damage{"Generation", "UPDATE generations SET checksum = 1", "vector file", 2},
        Damage{"GenerationCount", "UPDATE generations SET count = 1", "vector file", 2}),
    [](const auto& damage) { return std::string(damage.param.name); });

TEST(IndexCheckAlone, TellsOfADamagedDatabaseFile) {
  const lore::test::TemporaryFolder temporary;
  const std::filesystem::path folder = temporary.path() / ".lore";
  {
    const auto writer = Writer::open(folder, test::model());
    for (std::uint64_t i = 0; i < 50; ++i) {
      put(*writer, std::to_string(i), "a passage about boilers " + std::to_string(i), i);
    }
  }
  {
    // An entry of an index points to nothing.
    Database database(folder / "index.sqlite", OpenMode::write);
    database.execute("PRAGMA writable_schema = ON");
    database.execute(
        "UPDATE sqlite_master SET sql = 'CREATE INDEX documents_by_hash ON documents(path)'"
        " WHERE name = 'documents_by_hash'");
  }
  EXPECT_THAT(Reader::open(folder)->check().problems, Contains(HasSubstr("index.sqlite")));
  const auto writer = Writer::open(folder, test::model());
  EXPECT_THAT(writer->repair().problems, IsEmpty());
}

}  // namespace
}  // namespace lore::index
