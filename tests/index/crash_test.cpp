// A writer is killed at any moment, and the index opened again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <random>
#include <thread>

#include "tests/index/child.hpp"
#include "tests/index/support.hpp"
#include "tests/support/fixtures.hpp"

namespace lore::index {
namespace {

using ::testing::IsEmpty;

std::string path_of(std::uint64_t round) { return "folder/" + std::to_string(round % 7) + ".txt"; }

// Documents of some size, so that a kill falls into the middle of one.
std::string text_of(std::uint64_t round) {
  std::string text = "round " + std::to_string(round);
  for (int i = 0; i < 20; ++i) text += "\n\nturbine " + std::to_string(round * 100 + 1);
  return text;
}

// Endless: adds, replaces, and now and then removes and publishes; says each finished round.
void write_rounds(const std::filesystem::path& folder, std::uint64_t first, int report) {
  const auto writer = Writer::open(folder, test::model());
  for (std::uint64_t round = first;; ++round) {
    if (round % 11 == 10) {
      if (const auto document = writer->find(path_of(round + 3))) writer->remove(document->id);
    } else {
      test::put(*writer, path_of(round), text_of(round), round * 1000);
    }
    if (round % 5 == 4) writer->publish();
    if (::write(report, &round, sizeof round) != sizeof round) return;
  }
}

// What the rounds before `end` leave.
std::map<std::string, std::uint64_t> expected(std::uint64_t end) {
  std::map<std::string, std::uint64_t> documents;
  for (std::uint64_t round = 0; round < end; ++round) {
    if (round % 11 == 10) {
      documents.erase(path_of(round + 3));
    } else {
      documents[path_of(round)] = round;
    }
  }
  return documents;
}

std::map<std::string, std::uint64_t> stored(const Reader& reader) {
  std::map<std::string, std::uint64_t> documents;
  for (const DocumentSummary& document : reader.documents()) {
    const std::string text = reader.document(document.path).text;
    documents[document.path] = std::stoull(text.substr(6));
    EXPECT_EQ(text, text_of(documents[document.path]));
  }
  return documents;
}

TEST(IndexCrash, AKilledWriterLosesAtMostTheDocumentInHand) {
  const test::MemoryFolders in_memory;
  const lore::test::TemporaryFolder temporary;
  const std::filesystem::path folder = temporary.path() / ".lore";
  std::mt19937_64 random(7);
  std::uint64_t done = 0;  // rounds that the writers have told of
  constexpr int kKills = 40;
  for (int kill = 0; kill < kKills; ++kill) {
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe(ends.data()), 0);
    const pid_t child = test::start_child([&] { write_rounds(folder, done, ends[1]); });
    ::close(ends[1]);
    // Some rounds, counted and not timed, so that a slow machine gets as far; then a moment more.
    const std::uint64_t wanted = done + random() % 4;
    std::uint64_t round = 0;
    const auto another_round = [&] {
      if (::read(ends[0], &round, sizeof round) != sizeof round) return false;
      EXPECT_EQ(round, done);
      ++done;
      return true;
    };
    while (done < wanted && another_round()) {
    }
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 15'000));
    ::kill(child, SIGKILL);
    EXPECT_EQ(test::wait_for(child), SIGKILL);
    while (another_round()) {
    }
    ::close(ends[0]);
    if (!std::filesystem::exists(folder / "index.sqlite")) continue;

    std::unique_ptr<Reader> reader;
    try {
      reader = Reader::open(folder);
    } catch (const std::exception& error) {
      ASSERT_EQ(done, 0U) << error.what();
      continue;
    }
    const auto documents = stored(*reader);
    if (documents != expected(done)) {
      // The round in hand was committed, and the writer killed before it could say so.
      ASSERT_EQ(documents, expected(done + 1)) << "kill " << kill << " after round " << done;
      ++done;
    }
    ASSERT_THAT(reader->check().problems, IsEmpty()) << "kill " << kill;
    for (const auto& [path, written] : documents) {
      const std::vector<float> query = test::unit_vector(written * 1000);
      const SearchResult result = reader->search(test::vector_query(query));
      ASSERT_FALSE(result.hits.empty());
      EXPECT_EQ(result.hits[0].path, path);
      EXPECT_EQ(result.hits[0].chunk.body, "round " + std::to_string(written));
    }
  }
  EXPECT_GT(done, 20U);  // or the writers never got to work
}

}  // namespace
}  // namespace lore::index
