// The power goes at any moment: what was committed is there, and nothing is found that is not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <set>

#include "index/open.hpp"
#include "lore/error.hpp"
#include "tests/index/power/recording_vfs.hpp"
#include "tests/index/support.hpp"
#include "tests/support/fixtures.hpp"

namespace lore::index {
namespace {

using test::Disk;
using test::DiskRecord;
using test::put;

using State = std::map<std::string, std::string>;  // path → text

// What a run of `lore index` does to an index, a step at a time, and what is stored after each.
class Workload {
 public:
  Workload() {
    add("a.txt", "the first turbine\n\nits blades", 1);
    add("b.txt", "a boiler\fand its second page", 10);
    publish();
    add("a.txt", "the turbine, written anew\n\nblades\n\nand oil", 20);  // replaces
    remove("b.txt");
    publish();
    add("c.txt", "水泵更换过滤器 and a valve", 30);
    step([](Writer& writer) { writer.move(writer.find("c.txt")->id, "d.txt", 7); },
         [](State& state) {
           state["d.txt"] = state["c.txt"];
           state.erase("c.txt");
         });
    publish();
  }

  std::size_t size() const { return steps_.size(); }
  /// After this many steps.
  const State& state(std::size_t steps) const { return states_[steps]; }
  std::uint64_t seed(const std::string& text) const { return seeds_.at(text); }

  /// Runs all; calls `done` after each step.
  void run(Writer& writer, const std::function<void()>& done) const {
    for (const auto& step : steps_) {
      step(writer);
      done();
    }
  }
  void run_step(Writer& writer, std::size_t step) const { steps_[step](writer); }

 private:
  using Step = std::function<void(Writer&)>;

  void step(Step step, const std::function<void(State&)>& change) {
    steps_.push_back(std::move(step));
    State next = states_.back();
    change(next);
    states_.push_back(next);
  }
  void add(const std::string& path, const std::string& text, std::uint64_t seed) {
    seeds_[text] = seed;
    step([=](Writer& writer) { put(writer, path, text, seed); },
         [=](State& state) { state[path] = text; });
  }
  void remove(const std::string& path) {
    step([=](Writer& writer) { writer.remove(writer.find(path)->id); },
         [=](State& state) { state.erase(path); });
  }
  void publish() {
    step([](Writer& writer) { writer.publish(); }, [](State&) {});
  }

  std::vector<Step> steps_;
  std::vector<State> states_{State{}};
  std::map<std::string, std::uint64_t> seeds_;
};

class IndexPowerCut : public ::testing::Test {
 protected:
  IndexPowerCut() : folder_(temporary_.path() / ".lore") {}

  std::unique_ptr<Writer> writer(FileLayer* files = nullptr) const {
    WriterOptions options;
    options.files = files;
    return open_writer(folder_, test::model(), options);
  }

  State stored(const Reader& reader) const {
    State state;
    for (const DocumentSummary& document : reader.documents()) {
      state[document.path] = reader.document(document.path).text;
    }
    return state;
  }

  // All that a reader can tell about a sound index: every passage is the nearest to its own vector,
  // and no search gives what is not stored.
  void expect_right_searches(const Reader& reader, const State& state, const std::string& where) {
    std::size_t passages = 0;
    for (const DocumentSummary& document : reader.documents()) {
      const DocumentRecord record = reader.document(document.path);
      const std::uint64_t seed = workload_.seed(record.text);
      for (std::size_t i = 0; i < record.chunks.size(); ++i, ++passages) {
        const std::vector<float> query = test::unit_vector(seed + i);
        const SearchResult result = reader.search(test::vector_query(query));
        ASSERT_FALSE(result.hits.empty()) << where;
        EXPECT_EQ(result.hits[0].chunk.body, record.chunks[i].body) << where;
        EXPECT_NEAR(*result.hits[0].similarity, 1, 1e-6) << where;
        EXPECT_EQ(result.hits[0].path, document.path) << where;
      }
    }
    const std::vector<float> any = test::unit_vector(999);
    EXPECT_EQ(reader.search(test::vector_query(any)).hits.size(), passages) << where;
    for (const Hit& hit : reader.search(test::text_query("turbine boiler valve 过滤器")).hits) {
      EXPECT_TRUE(state.contains(hit.path)) << where;
    }
  }

  void expect_sound(std::size_t steps_done, const std::string& where) {
    std::unique_ptr<Reader> reader;
    try {
      reader = Reader::open(folder_);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::not_found) << where << ": " << error.what();
      EXPECT_EQ(steps_done, 0U) << where << ": a committed document is lost";
      return;
    }
    const State state = stored(*reader);
    const std::size_t next = std::min(steps_done + 1, workload_.size());
    EXPECT_TRUE(state == workload_.state(steps_done) || state == workload_.state(next))
        << where << ": " << state.size() << " documents after " << steps_done << " steps";
    EXPECT_THAT(reader->check().problems, ::testing::IsEmpty()) << where;
    expect_right_searches(*reader, state, where);
  }

  void lay_out(const DiskRecord::Files& files) const {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    for (const auto& [name, content] : files) {
      std::ofstream(folder_ / name, std::ios::binary) << content;
    }
  }

  Workload workload_;
  test::MemoryFolders in_memory_;
  lore::test::TemporaryFolder temporary_;
  std::filesystem::path folder_;
};

TEST_F(IndexPowerCut, AtAnyPointLosesNothingThatWasCommitted) {
  Disk disk;
  {
    const test::RecordingVfs vfs(disk);
    test::RecordingFiles files(disk);
    {
      const auto write = writer(&files);
      workload_.run(*write, [&] { disk.record.mark(); });
    }
    EXPECT_EQ(disk.record.marks_before(disk.record.size()), workload_.size());
  }
  std::mt19937_64 random(42);
  std::set<std::size_t> seen;  // of states of the disk, with the steps done
  std::size_t cuts = 0;
#ifdef LORE_SANITIZED
  constexpr std::size_t kStride = 17;
#else
  constexpr std::size_t kStride = 1;
#endif
  for (std::size_t cut = 0; cut <= disk.record.size() && !HasFailure(); cut += kStride) {
    const std::size_t steps = disk.record.marks_before(cut);
    for (const auto loss : {DiskRecord::Loss::nothing, DiskRecord::Loss::unsynced,
                            DiskRecord::Loss::some, DiskRecord::Loss::some}) {
      const DiskRecord::Files files = disk.record.after_cut(cut, loss, random);
      std::size_t state = steps;
      for (const auto& [name, content] : files) {
        state = state * 1'000'003 + std::hash<std::string>{}(name + '\0' + content);
      }
      if (!seen.insert(state).second) continue;
      lay_out(files);
      const std::string where = "cut at " + std::to_string(cut) + " of " +
                                std::to_string(disk.record.size()) + ", loss " +
                                std::to_string(static_cast<int>(loss));
      expect_sound(steps, where);
      if (++cuts % 10 != 0 || HasFailure()) continue;
      // A writer goes on from there.
      lay_out(files);
      {
        const auto write = writer();
        put(*write, "after.txt", "the power is back", 500);
        write->publish();
      }
      const auto reader = Reader::open(folder_);
      EXPECT_THAT(reader->check().problems, ::testing::IsEmpty()) << where;
      const std::vector<float> query = test::unit_vector(500);
      EXPECT_EQ(reader->search(test::vector_query(query)).hits.at(0).path, "after.txt") << where;
    }
  }
  RecordProperty("events", static_cast<int>(disk.record.size()));
  RecordProperty("states", static_cast<int>(seen.size()));
  EXPECT_GT(disk.record.size(), 300U);
  EXPECT_GT(seen.size(), disk.record.size() / kStride);
}

// The recorder must be able to lose: with no sync at all, documents are lost.
TEST_F(IndexPowerCut, TheRecorderLosesWhatWasNotSynced) {
  DiskRecord record;
  std::mt19937_64 random(1);
  const std::string bytes(2000, 'x');
  record.create("a");
  record.write("a", 0, std::as_bytes(std::span(bytes)));
  EXPECT_TRUE(record.after_cut(2, DiskRecord::Loss::unsynced, random).empty());
  EXPECT_EQ(record.after_cut(2, DiskRecord::Loss::nothing, random).at("a"), bytes);
  record.sync_folder();
  EXPECT_EQ(record.after_cut(3, DiskRecord::Loss::unsynced, random).at("a"), "");
  record.sync("a");
  EXPECT_EQ(record.after_cut(4, DiskRecord::Loss::unsynced, random).at("a"), bytes);
  record.rename("a", "b");
  EXPECT_EQ(record.after_cut(5, DiskRecord::Loss::unsynced, random).count("b"), 0U);
  EXPECT_EQ(record.after_cut(5, DiskRecord::Loss::nothing, random).at("b"), bytes);
  std::set<std::string> torn;
  record.write("b", 0, std::as_bytes(std::span(std::string_view(bytes).substr(0, 1999))));
  record.truncate("b", 0);
  record.write("b", 0, std::as_bytes(std::span(bytes)));
  for (int i = 0; i < 100; ++i) {
    for (const auto& [name, content] : record.after_cut(8, DiskRecord::Loss::some, random)) {
      torn.insert(content);
    }
  }
  EXPECT_GT(torn.size(), 3U);
}

TEST_F(IndexPowerCut, AFullDiskAtAnyWriteLosesOnlyTheStepInHand) {
  std::size_t failures = 0;
#ifdef LORE_SANITIZED
  constexpr long kStride = 61;
#else
  constexpr long kStride = 7;
#endif
  for (long room = 0;; room += kStride) {
    std::filesystem::remove_all(folder_);
    Disk disk;
    disk.room = room;
    std::size_t done = 0;
    bool failed = false;
    {
      const test::RecordingVfs vfs(disk);
      test::RecordingFiles files(disk);
      try {
        const auto write = writer(&files);
        workload_.run(*write, [&] { ++done; });
      } catch (const Error& error) {
        failed = true;
        EXPECT_EQ(error.code(), ErrorCode::no_space) << room << ": " << error.what();
      }
    }
    const std::string where = "room for " + std::to_string(room) + " writes";
    expect_sound(done, where);
    if (!failed) break;
    ++failures;
    if (HasFailure()) return;
    // With room again the same steps go through.
    {
      const auto write = writer();
      if (stored(*Reader::open(folder_)) == workload_.state(done)) {
        for (std::size_t step = done; step < workload_.size(); ++step) {
          workload_.run_step(*write, step);
        }
        EXPECT_EQ(stored(*Reader::open(folder_)), workload_.state(workload_.size())) << where;
      }
    }
    EXPECT_THAT(Reader::open(folder_)->check().problems, ::testing::IsEmpty()) << where;
  }
  EXPECT_GT(failures, 3U);
}

}  // namespace
}  // namespace lore::index
