#include "pipeline/index_pipeline.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <mutex>

#include "base/utf8.hpp"
#include "lore/error.hpp"
#include "pipeline/index_plan.hpp"
#include "tests/pipeline/fakes.hpp"

namespace lore::pipeline {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

/// Files in memory: what the walk finds and what extraction and hashing see of them.
class IndexPipelineTest : public testing::Test {
 protected:
  void file(const std::string& name, const std::string& text, std::int64_t modified = 1) {
    files_[name] = {text, modified};
  }

  IndexReport run(const IndexCallbacks& callbacks = {}) {
    IndexRun run;
    run.roots = {"/docs"};
    run.base = "/docs";
    run.chunking.max_tokens = max_tokens;
    run.retry = retry;
    run.batch_tokens = 64;
    for (const auto& [name, content] : files_) {
      run.walk.files.push_back({"/docs/" + name, content.text.size(), content.modified});
    }
    run.walk.failures = walk_failures;
    run.walk.unsupported = 3;
    extracted.clear();
    const IndexPieces pieces{writer, embedder,
                             [this](const std::filesystem::path& path) { return extract(path); },
                             [this](const std::filesystem::path& path) { return hash(path); }};
    return run_index(pieces, run, callbacks);
  }

  std::string text_of(const std::filesystem::path& path) const {
    const std::string name = path.filename().string();
    if (vanished.contains(name)) {
      throw Error(ErrorCode::not_found, "cannot open " + path.string());
    }
    return files_.at(name).text;
  }
  std::string hash(const std::filesystem::path& path) const { return "hash of " + text_of(path); }
  ingest::Extraction extract(const std::filesystem::path& path) {
    extracted.push_back(path.filename().string());
    const std::string text = text_of(path);
    if (text.starts_with("damaged")) return ingest::Failure{path, "it is damaged", "damaged", 2};
    if (text.starts_with("bug")) throw Error(ErrorCode::internal, "internal error");
    ingest::Document document;
    document.format = ingest::Format::text;
    document.pages.push_back({text, "1", ingest::PageState::text, "", 0});
    if (text.starts_with("scan")) {
      document.pages.push_back({"", "2", ingest::PageState::image_only, "", 0});
    }
    if (text.starts_with("partly")) {
      document.pages.push_back({"", "ii", ingest::PageState::failed, "it is torn", 0});
    }
    return document;
  }

  struct Content {
    std::string text;
    std::int64_t modified;
  };
  std::map<std::string, Content> files_;
  std::set<std::string> vanished;
  std::vector<ingest::Failure> walk_failures;
  std::vector<std::string> extracted;  // by the reading thread; looked at after it has ended
  test::FakeWriter writer;
  test::FakeEmbedder embedder;
  std::size_t max_tokens = 20;
  bool retry = false;
};

TEST_F(IndexPipelineTest, AFirstRunStoresEverythingAndASecondNothing) {
  file("a.txt", "alpha beta gamma");
  file("b.txt", "delta epsilon");
  IndexReport report = run();
  EXPECT_EQ(report.added, 2U);
  EXPECT_EQ(report.pages, 2U);
  EXPECT_GE(report.chunks, 2U);
  EXPECT_GT(report.tokens, 0U);
  EXPECT_THAT(writer.log, ElementsAre("put a.txt", "put b.txt", "publish"));
  const std::size_t calls = embedder.calls;
  report = run();
  EXPECT_EQ(report.unchanged, 2U);
  EXPECT_EQ(report.added + report.changed + report.removed + report.moved, 0U);
  EXPECT_THAT(extracted, IsEmpty());
  EXPECT_EQ(embedder.calls, calls);
}

TEST_F(IndexPipelineTest, ChunksReproduceTheTextAndVectorsBelongToThem) {
  std::string text;
  for (int i = 0; i < 60; ++i) text += "Word" + std::to_string(i) + " stands here. ";
  file("long.txt", text);
  run();
  const index::DocumentRecord& record = writer.stored.begin()->second;
  const std::vector<float>& vectors = writer.vectors.begin()->second;
  ASSERT_GT(record.chunks.size(), 3U);
  ASSERT_EQ(vectors.size(), record.chunks.size() * embedder.dimension());
  for (std::size_t i = 0; i < record.chunks.size(); ++i) {
    const index::ChunkRecord& chunk = record.chunks[i];
    EXPECT_EQ(utf8::slice(record.text, chunk.start, chunk.end), chunk.body);
    EXPECT_LE(chunk.tokens, max_tokens);
    std::vector<float> alone(embedder.dimension());
    const std::string embedded =
        chunk.context.empty() ? chunk.body : chunk.context + "\n" + chunk.body;
    const std::vector<std::vector<engine::TokenId>> ids{
        embedder.encode(embedded, engine::InputType::passage, false)};
    embedder.embed(ids, alone);
    for (std::size_t d = 0; d < alone.size(); ++d) {
      EXPECT_EQ(vectors[i * alone.size() + d], alone[d]) << "chunk " << i;
    }
  }
  for (const std::size_t tokens : embedder.batches) EXPECT_LE(tokens, 64U);
}

TEST_F(IndexPipelineTest, OnlyTheTimeHasChanged) {
  file("a.txt", "alpha");
  run();
  file("a.txt", "alpha", 2);
  const IndexReport report = run();
  EXPECT_EQ(report.unchanged, 1U);
  EXPECT_EQ(report.changed, 0U);
  EXPECT_THAT(extracted, IsEmpty());
  EXPECT_EQ(writer.stored.begin()->second.modified_ns, 2);
}

TEST_F(IndexPipelineTest, AChangedFileIsDoneAgainInItsPlace) {
  file("a.txt", "alpha");
  run();
  file("a.txt", "alpha and more", 2);
  const IndexReport report = run();
  EXPECT_EQ(report.changed, 1U);
  ASSERT_EQ(writer.stored.size(), 1U);
  EXPECT_EQ(writer.stored.begin()->second.text, "alpha and more");
}

TEST_F(IndexPipelineTest, AMovedFileIsNotReadAgainAndARemovedOneGoes) {
  file("old.txt", "alpha");
  file("gone.txt", "beta");
  run();
  files_.clear();
  file("new.txt", "alpha", 5);
  const IndexReport report = run();
  EXPECT_EQ(report.moved, 1U);
  EXPECT_EQ(report.removed, 1U);
  EXPECT_EQ(report.added, 0U);
  EXPECT_THAT(extracted, IsEmpty());
  ASSERT_EQ(writer.stored.size(), 1U);
  EXPECT_EQ(writer.stored.begin()->second.path, "new.txt");
  EXPECT_EQ(writer.stored.begin()->second.modified_ns, 5);
}

TEST_F(IndexPipelineTest, ACopyIsNoMove) {
  file("a.txt", "alpha");
  run();
  file("b.txt", "alpha");
  const IndexReport report = run();
  EXPECT_EQ(report.added, 1U);
  EXPECT_EQ(report.moved, 0U);
  EXPECT_EQ(writer.stored.size(), 2U);
}

TEST_F(IndexPipelineTest, OneGoneFileMovesToOneOfTwoCopies) {
  file("old.txt", "alpha");
  run();
  files_.clear();
  file("one.txt", "alpha");
  file("two.txt", "alpha");
  const IndexReport report = run();
  EXPECT_EQ(report.moved, 1U);
  EXPECT_EQ(report.added, 1U);
  EXPECT_EQ(report.removed, 0U);
  EXPECT_EQ(writer.stored.size(), 2U);
}

TEST_F(IndexPipelineTest, FailuresAreKeptToldAndTriedAgainOnRequest) {
  file("a.txt", "alpha");
  file("bad.txt", "damaged");
  IndexReport report = run();
  EXPECT_EQ(report.added, 1U);
  ASSERT_EQ(report.failed.size(), 1U);
  EXPECT_EQ(report.failed[0].path, "/docs/bad.txt");
  EXPECT_EQ(report.failed[0].pages_read, 2U);
  EXPECT_FALSE(report.failed[0].not_tried_again);
  EXPECT_EQ(writer.failed.size(), 1U);
  report = run();
  ASSERT_EQ(report.failed.size(), 1U) << "told again though it was not read again";
  EXPECT_TRUE(report.failed[0].not_tried_again);
  EXPECT_THAT(extracted, IsEmpty());
  retry = true;
  run();
  EXPECT_THAT(extracted, ElementsAre("bad.txt"));
  retry = false;
  file("bad.txt", "good now", 3);
  report = run();
  EXPECT_THAT(report.failed, IsEmpty());
  EXPECT_THAT(writer.failed, IsEmpty());
  EXPECT_EQ(report.added, 1U);
}

TEST_F(IndexPipelineTest, AFileThatBreaksKeepsItsOlderVersion) {
  file("a.txt", "alpha");
  run();
  file("a.txt", "damaged", 2);
  const IndexReport report = run();
  ASSERT_EQ(report.failed.size(), 1U);
  EXPECT_TRUE(report.failed[0].older_version_kept);
  EXPECT_EQ(writer.stored.begin()->second.text, "alpha");
}

TEST_F(IndexPipelineTest, FilesThatVanishDuringTheRun) {
  file("a.txt", "alpha");
  run();
  file("a.txt", "alpha!", 2);
  file("b.txt", "beta");
  file("c.txt", "gamma");
  vanished = {"a.txt", "b.txt"};
  const IndexReport report = run();
  EXPECT_EQ(report.removed, 1U) << "its text was indexed before";
  ASSERT_EQ(report.failed.size(), 1U);
  EXPECT_EQ(report.failed[0].code, "vanished");
  EXPECT_EQ(report.added, 1U);
  EXPECT_THAT(writer.failed, IsEmpty()) << "there is nothing to try again";
}

TEST_F(IndexPipelineTest, ScansAreNoticesAndNoFailures) {
  file("s.txt", "scan of a letter");
  const IndexReport report = run();
  EXPECT_THAT(report.failed, IsEmpty());
  EXPECT_EQ(report.pages_without_text, 1U);
  ASSERT_EQ(report.notices.size(), 1U);
  EXPECT_EQ(report.notices[0].pages, 2U);
  EXPECT_EQ(report.notices[0].without_text, "2");
}

TEST_F(IndexPipelineTest, ADocumentWithFailedPagesIsKeptAndListedAsFailed) {
  file("p.txt", "partly readable");
  IndexReport report = run();
  EXPECT_EQ(report.added, 0U) << "every file is counted once";
  EXPECT_EQ(report.pages, 2U);
  EXPECT_EQ(report.pages_failed, 1U);
  EXPECT_EQ(report.pages_without_text, 0U);
  ASSERT_EQ(report.failed.size(), 1U);
  EXPECT_EQ(report.failed[0].pages_read, 1U);
  EXPECT_EQ(report.failed[0].reason, "page 2 of 2 could not be read: it is torn");
  EXPECT_GT(report.chunks, 0U) << "the other page is searched";
  const auto first = report.failed[0];
  report = run();
  ASSERT_EQ(report.failed.size(), 1U) << "told again though it was not read again";
  EXPECT_EQ(report.failed[0].reason, first.reason);
  EXPECT_FALSE(report.failed[0].older_version_kept) << "what is kept is no older version";
  EXPECT_THAT(extracted, IsEmpty());
  retry = true;
  run();
  EXPECT_THAT(extracted, ElementsAre("p.txt"));
  retry = false;
  file("p.txt", "whole now", 2);
  report = run();
  EXPECT_EQ(report.changed, 1U);
  EXPECT_THAT(report.failed, IsEmpty());
  EXPECT_THAT(writer.failed, IsEmpty());
}

TEST_F(IndexPipelineTest, ADocumentWithFailedPagesFollowsNewSettingsAndMoves) {
  file("p.txt", "partly readable");
  run();
  max_tokens = 12;
  EXPECT_EQ(run().failed.size(), 1U);
  EXPECT_THAT(extracted, ElementsAre("p.txt")) << "its chunks were cut by other settings";
  run();
  EXPECT_THAT(extracted, IsEmpty());
  files_.clear();
  file("q.txt", "partly readable");
  const IndexReport report = run();
  ASSERT_EQ(report.failed.size(), 1U);
  EXPECT_EQ(report.failed[0].path, "/docs/q.txt");
  EXPECT_EQ(report.removed, 1U);
  EXPECT_EQ(writer.stored.size(), 1U);
  EXPECT_EQ(writer.failed.size(), 1U);
}

TEST_F(IndexPipelineTest, FilesOfOtherKindsAreCounted) {
  file("a.txt", "alpha");
  EXPECT_EQ(run().unsupported, 3U);
}

TEST_F(IndexPipelineTest, ADocumentWithoutAnyTextIsStoredWithoutVectors) {
  file("empty.txt", "");
  const IndexReport report = run();
  EXPECT_EQ(report.added, 1U);
  EXPECT_EQ(report.chunks, 0U);
  EXPECT_TRUE(writer.vectors.begin()->second.empty());
}

TEST_F(IndexPipelineTest, StoppingKeepsWhatIsDoneAndTheNextRunGoesOn) {
  for (int i = 0; i < 6; ++i) file(std::to_string(i) + ".txt", "text " + std::to_string(i));
  IndexCallbacks callbacks;
  callbacks.stop = [&] { return writer.stored.size() >= 2; };
  try {
    run(callbacks);
    FAIL() << "was not interrupted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::interrupted);
    EXPECT_THAT(error.what(), testing::HasSubstr("2 of 6"));
  }
  EXPECT_EQ(writer.stored.size(), 2U);
  const IndexReport report = run();
  EXPECT_EQ(report.unchanged, 2U);
  EXPECT_EQ(report.added, 4U);
}

TEST_F(IndexPipelineTest, AFullDiskEndsTheRunAndKeepsWhatIsDone) {
  file("a.txt", "alpha");
  file("b.txt", "beta");
  file("c.txt", "gamma");
  writer.fail_put_of = "b.txt";
  EXPECT_THROW(run(), Error);
  EXPECT_EQ(writer.stored.size(), 1U);
  writer.fail_put_of.clear();
  EXPECT_EQ(run().added, 2U);
}

TEST_F(IndexPipelineTest, ABugInExtractionIsNotHiddenAsAFailedFile) {
  file("bug.txt", "bug");
  try {
    run();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::internal);
  }
}

TEST_F(IndexPipelineTest, OtherChunkSettingsRedoEveryDocumentEvenAcrossAnInterruption) {
  for (int i = 0; i < 4; ++i) file(std::to_string(i) + ".txt", "text " + std::to_string(i));
  run();
  max_tokens = 12;
  IndexCallbacks callbacks;
  std::size_t puts = 0;
  callbacks.progress = [&](const IndexProgress& progress) { puts = progress.files_done; };
  callbacks.stop = [&] { return puts >= 1; };
  EXPECT_THROW(run(callbacks), Error);
  const IndexReport report = run();
  EXPECT_EQ(report.changed, 3U);
  EXPECT_EQ(report.unchanged, 1U);
  EXPECT_EQ(run().unchanged, 4U);
}

TEST_F(IndexPipelineTest, WalkFailuresAreReportedAndStored) {
  file("a.txt", "alpha");
  walk_failures = {{"/docs/locked", "permission denied", "unreadable", 0}};
  EXPECT_EQ(run().failed.size(), 1U);
  EXPECT_EQ(writer.failed.size(), 1U);
  walk_failures.clear();
  EXPECT_THAT(run().failed, IsEmpty());
  EXPECT_THAT(writer.failed, IsEmpty());
}

TEST_F(IndexPipelineTest, ProgressCountsEveryFileOnce) {
  for (int i = 0; i < 5; ++i) file(std::to_string(i) + ".txt", "text " + std::to_string(i));
  std::vector<std::size_t> done;
  IndexCallbacks callbacks;
  callbacks.progress = [&](const IndexProgress& progress) {
    EXPECT_EQ(progress.files_total, 5U);
    done.push_back(progress.files_done);
  };
  run(callbacks);
  EXPECT_TRUE(std::is_sorted(done.begin(), done.end()));
  EXPECT_EQ(done.back(), 5U);
}

}  // namespace
}  // namespace lore::pipeline
