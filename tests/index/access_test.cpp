// Indexes that are not there, not readable, not writable, not sound, or somebody else's.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <set>
#include <thread>

#include "base/file.hpp"
#include "index/store/database.hpp"
#include "lore/error.hpp"
#include "tests/index/child.hpp"
#include "tests/index/support.hpp"
#include "tests/support/fixtures.hpp"

namespace lore::index {
namespace {

using test::put;
using test::run_child;
using test::text_query;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

class IndexAccess : public ::testing::Test {
 protected:
  std::filesystem::path folder() const { return temporary_.path() / ".lore"; }
  std::filesystem::path database() const { return folder() / "index.sqlite"; }
  void make_index() const {
    const auto writer = Writer::open(folder(), test::model());
    put(*writer, "a.txt", "about the turbine", 1);
    writer->publish();
  }
  template <typename Body>
  static Error error_of(Body body) {
    try {
      body();
    } catch (const Error& error) {
      return error;
    }
    return Error(ErrorCode::internal, "nothing was thrown");
  }
  Error reading() const {
    return error_of([&] { Reader::open(folder())->documents(); });
  }
  Error writing() const {
    return error_of([&] { Writer::open(folder(), test::model(), 0); });
  }
  /// Makes everything below the folder readable and nothing writable, for others than root.
  void forbid_writing() const {
    ::chmod(temporary_.path().c_str(), 0755);
    ::chmod(folder().c_str(), 0555);
    for (const auto& entry : std::filesystem::directory_iterator(folder())) {
      ::chmod(entry.path().c_str(), 0444);
    }
  }
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder())) {
      names.push_back(entry.path().filename());
    }
    return names;
  }

  lore::test::TemporaryFolder temporary_;
};

TEST_F(IndexAccess, WithoutAnIndexSaysSo) {
  EXPECT_EQ(reading().code(), ErrorCode::not_found);
  EXPECT_THAT(reading().what(), HasSubstr("lore index"));
  std::filesystem::create_directory(folder());
  EXPECT_EQ(reading().code(), ErrorCode::not_found);
  // What a writer leaves that was killed before it had made the tables.
  write_file_atomically(database(), "");
  EXPECT_EQ(reading().code(), ErrorCode::not_found);
  make_index();
  EXPECT_EQ(Reader::open(folder())->documents().size(), 1U);
}

TEST_F(IndexAccess, OfAnotherKindOfFileIsDamaged) {
  std::filesystem::create_directory(folder());
  write_file_atomically(database(), std::string(8192, 'x'));
  EXPECT_EQ(reading().code(), ErrorCode::corrupt);
  EXPECT_EQ(writing().code(), ErrorCode::corrupt);
  EXPECT_EQ(read_file(database()), std::string(8192, 'x'));  // nobody's file is written over
  std::filesystem::remove(database());
  {
    Database other(database(), OpenMode::create);
    other.execute("CREATE TABLE notes(text)");
  }
  EXPECT_EQ(reading().code(), ErrorCode::corrupt);
  EXPECT_EQ(writing().code(), ErrorCode::corrupt);
  EXPECT_THAT(writing().what(), HasSubstr("another program"));
}

TEST_F(IndexAccess, OfANewerSchemaIsRefused) {
  make_index();
  {
    Database newer(database(), OpenMode::write);
    newer.execute("PRAGMA user_version = 99");
  }
  EXPECT_EQ(reading().code(), ErrorCode::unsupported);
  EXPECT_EQ(writing().code(), ErrorCode::unsupported);
  EXPECT_THAT(reading().what(), HasSubstr("newer lore"));
}

TEST_F(IndexAccess, ThatIsTruncatedOrOverwrittenIsDamagedAndNeverCrashes) {
  make_index();
  const std::string sound = read_file(database());
  for (std::size_t keep = 100; keep < sound.size(); keep += 1 + sound.size() / 13) {
    write_file_atomically(database(), sound.substr(0, keep));
    const Error error = error_of([&] {
      const auto reader = Reader::open(folder());
      if (!reader->check().problems.empty()) throw Error(ErrorCode::corrupt, "");
    });
    EXPECT_EQ(error.code(), ErrorCode::corrupt) << keep << ": " << error.what();
  }
  for (std::size_t at = 4096; at + 512 < sound.size(); at += 1 + sound.size() / 17) {
    std::string changed = sound;
    std::fill_n(changed.begin() + static_cast<std::ptrdiff_t>(at), 512, '\xA5');
    write_file_atomically(database(), changed);
    try {
      const auto reader = Reader::open(folder());
      (void)reader->check();
      (void)reader->search(text_query("turbine"));
      (void)Writer::open(folder(), test::model(), 0)->repair();
    } catch (const Error& error) {
      EXPECT_NE(error.code(), ErrorCode::internal) << error.what();
    }
  }
}

TEST_F(IndexAccess, ThatIsAFileIsRefused) {
  temporary_.write(".lore", "a file");
  EXPECT_EQ(reading().code(), ErrorCode::not_found);
  EXPECT_NE(writing().code(), ErrorCode::internal);
}

TEST_F(IndexAccess, ReadsInAFolderThatItCannotWrite) {
  make_index();
  ASSERT_THAT(names(), Not(::testing::Contains(HasSubstr("-wal"))));
  forbid_writing();
  const test::ChildResult result = run_child([&]() -> std::string {
    if (!test::become_nobody()) return "skip";
    if (::open((folder() / "x").c_str(), O_CREAT | O_WRONLY, 0600) >= 0) return "could write";
    const auto reader = Reader::open(folder());
    if (!reader->check().problems.empty()) return reader->check().problems[0];
    const std::vector<float> vector = test::unit_vector(1);
    if (reader->search(test::vector_query(vector)).hits.size() != 1) return "no vector hit";
    if (reader->search(text_query("turbine")).hits.size() != 1) return "no text hit";
    const Error error = error_of([&] { Writer::open(folder(), test::model(), 0); });
    if (error.code() != ErrorCode::read_only) return std::string("writer: ") + error.what();
    if (std::string(error.what()).find("--index") == std::string::npos) return error.what();
    return "ok";
  });
  if (result.report == "skip") GTEST_SKIP() << "needs root, to become another user";
  EXPECT_EQ(result.report, "ok");
}

TEST_F(IndexAccess, ReadsTheWalOfACrashWhereItCannotWrite) {
  make_index();
  // Copies made while a connection is open are what a crash leaves: a file and its WAL.
  const std::filesystem::path copy = temporary_.path() / "copy";
  {
    const auto writer = Writer::open(folder(), test::model());
    put(*writer, "b.txt", "only in the log: a boiler", 2);
    std::filesystem::copy(folder(), copy);
  }
  std::filesystem::remove(copy / "index.sqlite-shm");
  ASSERT_GT(std::filesystem::file_size(copy / "index.sqlite-wal"), 0U);
  std::filesystem::remove_all(folder());
  std::filesystem::rename(copy, folder());
  forbid_writing();
  const std::string wal = read_file(folder() / "index.sqlite-wal");
  const test::ChildResult result = run_child([&]() -> std::string {
    if (!test::become_nobody()) return "skip";
    const auto reader = Reader::open(folder());
    if (reader->search(text_query("boiler")).hits.size() != 1) return "the log was not read";
    return reader->check().problems.empty() ? "ok" : reader->check().problems[0];
  });
  if (result.report == "skip") GTEST_SKIP() << "needs root, to become another user";
  EXPECT_EQ(result.report, "ok");
  EXPECT_EQ(read_file(folder() / "index.sqlite-wal"), wal);
}

TEST_F(IndexAccess, WithoutWritePermissionFollowsAWriterThatHasIt) {
  make_index();
  forbid_writing();
  if (::geteuid() != 0) GTEST_SKIP() << "needs root, to write where others cannot";
  // The child says what it sees at each line that it is sent.
  std::array<int, 2> to{};
  std::array<int, 2> from{};
  ASSERT_EQ(::pipe(to.data()), 0);
  ASSERT_EQ(::pipe(from.data()), 0);
  const pid_t child = test::start_child([&] {
    if (!test::become_nobody()) return;
    const auto reader = Reader::open(folder());
    char c = 0;
    while (::read(to[0], &c, 1) == 1 && c != 'q') {
      std::size_t documents = 99;
      try {
        documents = reader->documents().size();
        if (!reader->check().problems.empty()) documents = 98;
      } catch (const Error&) {
      }
      c = static_cast<char>('0' + documents);
      if (::write(from[1], &c, 1) != 1) return;
    }
  });
  const auto ask = [&] {
    char c = 'a';
    EXPECT_EQ(::write(to[1], &c, 1), 1);
    EXPECT_EQ(::read(from[0], &c, 1), 1);
    return c - '0';
  };
  EXPECT_EQ(ask(), 1);
  {
    const auto writer = Writer::open(folder(), test::model());
    put(*writer, "b.txt", "two", 2);
    EXPECT_EQ(ask(), 2);  // in the WAL of a writer at work
    put(*writer, "c.txt", "three", 3);
    writer->publish();
    EXPECT_EQ(ask(), 3);
  }
  EXPECT_EQ(ask(), 3);  // folded back into the file
  {
    const auto writer = Writer::open(folder(), test::model());
    writer->remove(writer->find("a.txt")->id);
  }
  EXPECT_EQ(ask(), 2);
  const char quit = 'q';
  EXPECT_EQ(::write(to[1], &quit, 1), 1);
  EXPECT_EQ(test::wait_for(child), 0);
}

TEST_F(IndexAccess, ThatMayNotBeReadSaysSo) {
  make_index();
  ::chmod(temporary_.path().c_str(), 0755);
  ::chmod(database().c_str(), 0600);
  const test::ChildResult result = run_child([&]() -> std::string {
    if (!test::become_nobody()) return "skip";
    if (::open(database().c_str(), O_RDONLY) >= 0) return "could read";
    return reading().what();
  });
  if (result.report == "skip") GTEST_SKIP() << "needs root, to become another user";
  EXPECT_THAT(result.report, StartsWith("cannot read " + database().string()));
}

TEST_F(IndexAccess, ASecondWriterWaitsAndThenNamesTheFirst) {
  const auto first = Writer::open(folder(), test::model());
  const Error error = writing();
  EXPECT_EQ(error.code(), ErrorCode::busy);
  EXPECT_THAT(error.what(), HasSubstr("process " + std::to_string(::getpid())));
}

TEST_F(IndexAccess, ASecondWriterGetsItsTurn) {
  auto first = Writer::open(folder(), test::model());
  std::thread release([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    first.reset();
  });
  EXPECT_NO_THROW(put(*Writer::open(folder(), test::model(), 10), "b.txt", "second", 2));
  release.join();
}

TEST_F(IndexAccess, AKilledWriterHoldsNothing) {
  const pid_t child = test::start_child([&] {
    const auto writer = Writer::open(folder(), test::model());
    put(*writer, "a.txt", "kept", 1);
    ::raise(SIGKILL);
  });
  EXPECT_EQ(test::wait_for(child), SIGKILL);
  EXPECT_EQ(Writer::open(folder(), test::model(), 0)->documents().size(), 1U);
}

TEST_F(IndexAccess, ReadersSeeWholeDocumentsWhileOneIsWritten) {
  make_index();
  const pid_t child = test::start_child([&] {
    const auto writer = Writer::open(folder(), test::model());
    for (std::uint64_t i = 0; i < 60; ++i) {
      put(*writer, "b.txt", "boiler " + std::to_string(i) + "\n\nboiler\n\nboiler", i);
      if (i % 10 == 0) writer->publish();
    }
  });
  const auto reader = Reader::open(folder());
  const std::vector<float> vector = test::unit_vector(1);
  std::size_t seen = 0;
  std::set<std::string> states;
  for (int status = 0; ::waitpid(child, &status, WNOHANG) == 0;) {
    const std::size_t boilers = reader->search(text_query("boiler")).hits.size();
    EXPECT_TRUE(boilers == 0 || boilers == 3) << boilers;
    const std::size_t all = reader->search(test::vector_query(vector)).hits.size();
    EXPECT_TRUE(all == 1 || all == 4) << all;
    for (const DocumentSummary& document : reader->documents()) states.insert(document.sha256);
    ++seen;
  }
  EXPECT_GT(seen, 3U);
  EXPECT_GT(states.size(), 3U);
  EXPECT_THAT(reader->check().problems, IsEmpty());
  EXPECT_EQ(reader->documents().size(), 2U);
}

TEST_F(IndexAccess, TheLastToLeaveFoldsTheLogBack) {
  std::unique_ptr<Reader> reader;
  {
    const auto writer = Writer::open(folder(), test::model());
    put(*writer, "a.txt", "text", 1);
    reader = Reader::open(folder());
    EXPECT_EQ(reader->documents().size(), 1U);
  }
  reader.reset();
  EXPECT_THAT(names(), Not(::testing::Contains(HasSubstr("-wal"))));
  EXPECT_THAT(names(), Not(::testing::Contains(HasSubstr("-shm"))));
}

// A real full disk: a small file system in memory, mounted where only the child sees it.
TEST_F(IndexAccess, AFullDiskLosesOnlyTheDocumentInHand) {
  std::filesystem::create_directory(folder());
  const test::ChildResult result = run_child([&]() -> std::string {
    if (::unshare(CLONE_NEWNS) != 0 ||
        ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("lore-test", folder().c_str(), "tmpfs", 0, "size=1200k") != 0) {
      return "skip";
    }
    const std::string text(20'000, 'x');
    std::size_t stored = 0;
    {
      const auto writer = Writer::open(folder(), test::model());
      std::string failure;
      for (; stored < 1000 && failure.empty(); ++stored) {
        try {
          put(*writer, std::to_string(stored), "turbine " + text, stored);
        } catch (const Error& error) {
          if (error.code() != ErrorCode::no_space) return std::string("put: ") + error.what();
          failure = error.what();
        }
      }
      if (failure.find("disk is full") == std::string::npos) return "put: " + failure;
      --stored;
      if (writer->documents().size() != stored) return "the writer lost documents";
    }
    const auto reader = Reader::open(folder());
    if (reader->documents().size() != stored) return "documents were lost";
    const CheckReport report = reader->check();
    if (!report.problems.empty()) return report.problems[0];
    const std::vector<float> vector = test::unit_vector(0);
    if (reader->search(test::vector_query(vector)).hits.empty()) return "search found nothing";
    // Publishing fails the same way, and leaves the index as it was.
    try {
      const auto writer = Writer::open(folder(), test::model());
      {
        std::ofstream filler(folder() / "filler");
        filler << std::string(2'000'000, 'y');
      }
      writer->publish();
      return "publishing on a full disk went through";
    } catch (const Error& error) {
      if (error.code() != ErrorCode::no_space) return std::string("publish: ") + error.what();
    }
    std::filesystem::remove(folder() / "filler");
    if (!Reader::open(folder())->check().problems.empty()) return "damaged";
    // With room again, the same run goes on.
    if (::mount("none", folder().c_str(), nullptr, MS_REMOUNT, "size=8m") != 0) return "remount";
    const auto writer = Writer::open(folder(), test::model());
    put(*writer, "more", "turbine " + text, 5000);
    writer->publish();
    return writer->documents().size() == stored + 1 ? "ok" : "not one more";
  });
  if (result.report == "skip") GTEST_SKIP() << "cannot mount a small file system here";
  EXPECT_EQ(result.report, "ok");
  EXPECT_EQ(result.signal, 0);
}

TEST_F(IndexAccess, AReadOnlyFileSystemIsReadAndNotWritten) {
  make_index();
  const test::ChildResult result = run_child([&]() -> std::string {
    if (::unshare(CLONE_NEWNS) != 0 ||
        ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount(folder().c_str(), folder().c_str(), nullptr, MS_BIND, nullptr) != 0 ||
        ::mount("none", folder().c_str(), nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY, nullptr) !=
            0) {
      return "skip";
    }
    if (Reader::open(folder())->search(text_query("turbine")).hits.size() != 1) return "no hit";
    const Error error = error_of([&] { Writer::open(folder(), test::model(), 0); });
    return error.code() == ErrorCode::read_only ? "ok" : error.what();
  });
  if (result.report == "skip") GTEST_SKIP() << "cannot mount here";
  EXPECT_EQ(result.report, "ok");
}

}  // namespace
}  // namespace lore::index
