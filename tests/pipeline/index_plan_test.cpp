#include "pipeline/index_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lore::pipeline {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const std::vector<std::filesystem::path> kRoots = {"/docs"};

index::DocumentSummary document(std::int64_t id, const std::string& path, std::uint64_t size = 10,
                                std::int64_t modified = 1) {
  index::DocumentSummary summary;
  summary.id = id;
  summary.path = path;
  summary.size = size;
  summary.modified_ns = modified;
  return summary;
}

struct Case {
  ingest::WalkResult walk;
  std::vector<index::DocumentSummary> documents;
  std::vector<index::FailureRecord> failures;
  bool retry = false;
  bool has_passwords = false;

  ingest::WalkResult outside{};

  IndexPlan plan(std::vector<std::filesystem::path> roots = kRoots) const {
    return plan_index({walk, roots, "/docs", documents, failures, retry, has_passwords, outside});
  }
};

std::vector<std::string> paths_of(const IndexPlan& plan) {
  std::vector<std::string> paths;
  for (const PlannedFile& file : plan.to_read) paths.push_back(file.stored_path);
  return paths;
}

std::vector<std::string> gone_of(const IndexPlan& plan) {
  std::vector<std::string> paths;
  for (const auto& summary : plan.gone) paths.push_back(summary.path);
  return paths;
}

TEST(IndexPlanTest, ReadsWhatIsNewOrHasAnotherSizeOrTime) {
  const Case c{{{{"/docs/same.pdf", 10, 1},
                 {"/docs/longer.pdf", 11, 1},
                 {"/docs/later.pdf", 10, 2},
                 {"/docs/sub/new.pdf", 5, 5}},
                {}},
               {document(1, "same.pdf"), document(2, "longer.pdf"), document(3, "later.pdf")},
               {}};
  const IndexPlan plan = c.plan();
  EXPECT_EQ(plan.unchanged, 1U);
  EXPECT_THAT(paths_of(plan), ElementsAre("longer.pdf", "later.pdf", "sub/new.pdf"));
  EXPECT_TRUE(plan.to_read[0].known);
  EXPECT_FALSE(plan.to_read[2].known);
}

TEST(IndexPlanTest, DocumentsOfOtherRootsAreLeftAlone) {
  const Case c{{{{"/docs/a/x.pdf", 10, 1}}, {}},
               {document(1, "a/x.pdf"), document(2, "a/gone.pdf"), document(3, "b/y.pdf"),
                document(4, "ab/z.pdf"), document(5, "/elsewhere/w.pdf")},
               {}};
  EXPECT_THAT(gone_of(c.plan({"/docs/a"})), ElementsAre("a/gone.pdf"));
}

TEST(IndexPlanTest, AFolderThatCannotBeReadTakesNothingAway) {
  const Case c{{{}, {{"/docs/locked", "permission denied", "unreadable", 0}}},
               {document(1, "locked/x.pdf"), document(2, "open.pdf")},
               {}};
  EXPECT_THAT(gone_of(c.plan()), ElementsAre("open.pdf"));
}

TEST(IndexPlanTest, WhatTheGlobsOfThisRunLeaveOutIsNotGone) {
  Case c{{{{"/docs/a.md", 10, 1}}, {}},
         {document(1, "a.md"), document(2, "b.txt"), document(3, "gone.txt"),
          document(4, "locked/x.txt")},
         {{"c.txt", 10, 1, "damaged", "damaged", 0}}};
  c.outside = {{{"/docs/a.md", 10, 1}, {"/docs/b.txt", 10, 1}, {"/docs/c.txt", 10, 1}},
               {{"/docs/locked", "permission denied", "unreadable", 0}}};
  const IndexPlan plan = c.plan();
  EXPECT_THAT(gone_of(plan), ElementsAre("gone.txt"));
  EXPECT_THAT(plan.cured_failures, IsEmpty());
  EXPECT_THAT(paths_of(plan), IsEmpty());
}

TEST(IndexPlanTest, FailuresThatDoNotLieInTheContentAreTriedInEachRun) {
  for (const char* code : {"unreadable", "memory", "worker", "vanished"}) {
    const Case c{{{{"/docs/a.pdf", 10, 1}}, {}}, {}, {{"a.pdf", 10, 1, "it failed", code, 0}}};
    EXPECT_THAT(paths_of(c.plan()), ElementsAre("a.pdf")) << code;
  }
  for (const char* code :
       {"damaged", "password", "empty", "too_large", "unsupported", "timeout", "crashed"}) {
    const Case c{{{{"/docs/a.pdf", 10, 1}}, {}}, {}, {{"a.pdf", 10, 1, "it failed", code, 0}}};
    EXPECT_THAT(paths_of(c.plan()), IsEmpty()) << code;
    EXPECT_EQ(c.plan().known_failures.size(), 1U) << code;
  }
}

TEST(IndexPlanTest, FailuresAreRepeatedOnlyWhenChangedOrAskedFor) {
  Case c{{{{"/docs/bad.pdf", 10, 1}, {"/docs/locked.pdf", 10, 1}, {"/docs/mended.pdf", 12, 1}}, {}},
         {},
         {{"bad.pdf", 10, 1, "damaged", "damaged", 0},
          {"locked.pdf", 10, 1, "wants a password", "password", 0},
          {"mended.pdf", 10, 1, "damaged", "damaged", 0},
          {"gone.pdf", 10, 1, "damaged", "damaged", 0}}};
  IndexPlan plan = c.plan();
  EXPECT_THAT(paths_of(plan), ElementsAre("mended.pdf"));
  EXPECT_EQ(plan.known_failures.size(), 2U);
  EXPECT_THAT(plan.cured_failures, ElementsAre("gone.pdf"));
  c.has_passwords = true;
  EXPECT_THAT(paths_of(c.plan()), ElementsAre("locked.pdf", "mended.pdf"));
  c.retry = true;
  EXPECT_THAT(paths_of(c.plan()), ElementsAre("bad.pdf", "locked.pdf", "mended.pdf"));
}

TEST(IndexPlanTest, ADocumentCutByOtherSettingsIsReadWhateverItsHash) {
  const Case c{{{{"/docs/a.pdf", 10, 1}}, {}}, {document(1, "a.pdf", 10, kMustRedo)}, {}};
  const IndexPlan plan = c.plan();
  ASSERT_THAT(paths_of(plan), ElementsAre("a.pdf"));
  EXPECT_TRUE(plan.to_read[0].redo);
}

TEST(IndexPlanTest, StoredPathsGoThereAndBack) {
  EXPECT_EQ(stored_path("/docs/a/b.pdf", "/docs"), "a/b.pdf");
  EXPECT_EQ(stored_path("/docs2/b.pdf", "/docs"), "/docs2/b.pdf");
  EXPECT_EQ(resolved_path("a/b.pdf", "/docs"), "/docs/a/b.pdf");
  EXPECT_EQ(resolved_path("/docs2/b.pdf", "/docs"), "/docs2/b.pdf");
  EXPECT_TRUE(is_below("/docs", "/docs"));
  EXPECT_TRUE(is_below("/docs/a", "/docs/"));
  EXPECT_TRUE(is_below("/docs/a", "/"));
  EXPECT_FALSE(is_below("/docs2", "/docs"));
  EXPECT_FALSE(is_below("/", "/docs"));
}

}  // namespace
}  // namespace lore::pipeline
